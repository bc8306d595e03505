"""The state of intent and facts, with history: pure functions over frozen values."""
