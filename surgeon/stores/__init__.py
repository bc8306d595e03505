"""Where originals and sessions are kept."""
