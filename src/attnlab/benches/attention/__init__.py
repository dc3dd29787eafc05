"""The attention bench: attention as exact mathematics.

settings            the settings of `robustness`, `remedies` and `weigh`
measuring           the weights and the error of an average of two values
robustness, curves  the effect of noise: at one scale, over scales, as curves and densities
remedies            remedies against noise
weigh               the weights that queries give to given keys, under noise
design              the query that copies or mixes keys
extract             the matrix that recovers one vector from a sum
construct           constructed matrices Q, K and V
matrices, sums      readers of matrices and sums
written             readers of weights and rows as people write them

This file imports nothing: `--help` needs the settings, and must not import torch.
"""
