"""Wire formats: one file each, plus detection and the wire rules."""
