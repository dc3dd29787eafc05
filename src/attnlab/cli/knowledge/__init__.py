"""The commands of the knowledge bench."""
