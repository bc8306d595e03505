"""Shorter texts that stay true: templates, typed compactors, record-level digest."""
