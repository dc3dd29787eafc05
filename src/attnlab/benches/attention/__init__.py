"""The attention bench: an average of two under noise and what helps, queries by design, projectors, and self-attention
built by hand.

settings        what can be asked about noise
measuring       an average of two for a scale and a number of heads
noise, curves   what noise does to it: one scale, a table over scales, curves and densities
cures           what helps against noise
queries         the query that copies or mixes keys
projectors      the matrix that takes one vector back out of a sum
self_attention  Q, K and V by hand
matrices, sums  matrices and sums as a person gives them

Nothing is imported here: the settings, which `--help` needs, must come without torch.
"""
