"""Where the cost of a text comes from, and why two perplexities differ: parts that add up, and what costs most.

words           a text as words, each with its place among the bytes that are not spaces
alignment       segments: the shortest parts of a text that end where tokens of all models and words end
kinds           what a segment is: the beginning, unknown, unseen in training, with capitals, digits, punctuation
context_ladder  one model measured as asked, with its full context, and with a shorter one
one_text        what a text costs a model, by kinds
two_models      the gap between two models on a text
two_texts       the gap between two texts under a model
costliest       the words and passages that cost most, or differ most
cells           a text cut where it can be shown, with what each cell cost
gaps            the records that hold all this
explaining      whichever of these some models and texts ask for, and how much there is to measure
"""
