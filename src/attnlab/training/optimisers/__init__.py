"""Optimisers: AdamW, Muon, gradient descent, updates of single rows of a table, and which parameters each updates."""
