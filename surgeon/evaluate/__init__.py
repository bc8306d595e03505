"""Measures on the user's own data."""
