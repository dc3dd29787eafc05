"""Updates of some rows of a large table."""
