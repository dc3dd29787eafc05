"""Benches: where training and evaluation meet. A function takes typed settings and an observer of progress, and returns
a record; it shows nothing. The command line, the Python front door and the studio all call these.

attention    an average of two under noise, and what helps; queries by design, projectors, self-attention by hand
data         the data sets: which there are, getting one, where it is
language     training, resuming, opening a model, letting it write; the table of runs
perplexity   models measured on texts, audited, compared and explained
sentiment    text classifiers: trained, evaluated, asked why
knowledge    facts into a model and out again: pretraining, finetuning, questions, whole sweeps
export       a run as a folder that `transformers` opens
lifecycle    what every run goes through: its folder, its data's hash, checkpoints, resuming, divergence, result
"""
