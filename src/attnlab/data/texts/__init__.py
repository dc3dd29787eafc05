"""Texts: named ones, files and folders, read piece by piece."""
