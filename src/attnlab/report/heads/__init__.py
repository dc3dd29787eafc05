"""How the records of the heads bench are shown."""
