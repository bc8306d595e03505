"""Hides personal data and secrets."""
