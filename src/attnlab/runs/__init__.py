"""A run's folder: what was asked, how it went, and the weights.

config.json     every setting, as it was
metrics.jsonl   a line a measurement: step, loss, rate, tokens a second; now and then the validation
tokenizer.json  how text became tokens
checkpoints/    weights and the optimiser's state, each file with its hash; the last good one is always there
"""
