"""Labelled texts: tables, folders, IMDB's reviews and generated reviews."""
