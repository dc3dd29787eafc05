"""Formulas from text: a grammar, trees, names, and the shapes of what is written."""
