"""A run's folder: the settings, the measurements and the weights.

config.json     every setting of the run
metrics.jsonl   one line per measurement: step, loss, rate, tokens per second; sometimes the validation loss
tokenizer.json  the tokenizer
checkpoints/    weights and the optimiser's state, each file with its hash; the last good checkpoint is always there

`al.runs(…)` lists runs: this folder has the name of that verb.
"""

from attnlab import callable_packages

callable_packages.is_a_verb(__name__)
