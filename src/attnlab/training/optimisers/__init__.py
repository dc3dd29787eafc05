"""Optimisers: AdamW, Muon, updates of single rows of a table, and which parameters each optimiser updates."""
