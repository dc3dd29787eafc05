"""Sweeps: every variant of some recipes through the whole chain, with several seeds, and one table."""
