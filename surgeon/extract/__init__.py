"""What new messages say: intent, facts, constraints, corrections."""
