"""Why two perplexities differ: the gap in parts that add up, and what costs most.

words       a text as words, each with its place among the bytes that are not spaces
segments    the shortest stretches of a text that end where tokens of all models and words end
kinds       what a stretch is: unknown, unseen in training, with capitals, digits, punctuation
rungs       one model measured as asked, with its full context, and with a shorter one
two_models  the gap between two models on a text
two_texts   the gap between two texts under a model
dearest     the words and passages that cost most, or differ most
pieces      a text cut where it can be shown, with what each piece cost
"""
