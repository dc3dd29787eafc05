"""Texts: named texts, files and folders, read piece by piece."""
