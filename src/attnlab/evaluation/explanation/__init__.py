"""Explanations: where the cost of a text comes from, and why two perplexities differ, in parts that add up.

words           a text as words, each with its position among the bytes that are not spaces
alignment       segments: the shortest parts of a text that end where tokens of all models and words end
kinds           kinds of segments: the beginning, unknown, unseen in training, with capitals, digits, punctuation
context_ladder  one model measured as requested, with its full context, and with a shorter one
one_text        the cost of one text for one model, by kinds
model_gap       the gap between two models on a text
model_pairs     the gaps of all pairs of three or more models on a text
text_gap        the gap between two texts under a model
costliest       the words and passages that cost most, or differ most
cells           a text cut into cells for display, with the cost of each cell
gaps            the records of all this
explaining      picks the explanation for the given models and texts, and counts the tokens to measure
"""
