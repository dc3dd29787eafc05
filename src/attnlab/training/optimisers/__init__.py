"""Optimisers: AdamW, Muon, updates of a few rows of a table, and which parameters each of them moves."""
