"""Benches join training and evaluation. Each function takes typed settings and an observer of progress, and returns a
record; it shows nothing itself. The command line, the Python front door and the studio all call these functions.

attention    averages of two values under noise, remedies, designed queries, projectors, constructed self-attention
data         the data sets: list them, download one, find its files
language     train and resume runs, open a model, sample and score texts, compare runs
perplexity   measure models on texts; audit, compare and explain the numbers
sentiment    train, evaluate and explain text classifiers
knowledge    put facts into a model and ask for them: pretraining, finetuning, questions, sweeps
recipes      the recipes of every training, and every setting of one
export       write a run as a folder that `transformers` opens
lifecycle    the steps of every run: its folder, the hash of its data, resuming, divergence, interrupts
stepwise     what runs share that are trained step by step: the last checkpoint, hooks that record and save
"""
