"""Sweeps: pretrain, finetune and ask models of every variant with several seeds, and compare them in one table."""
