"""Checks and tests of rules and templates."""
