"""Two channels that say how much a unit matters, and their combination."""
