"""Tokens, language, sentences and times of plain text."""
