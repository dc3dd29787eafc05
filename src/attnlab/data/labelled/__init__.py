"""Texts with labels: tables, folders, IMDB's reviews and generated ones."""
