"""Training: one loop for every model that learns by gradients, in one process or in many.

settings    what is asked: steps, batch, optimiser, schedule
optimisers  AdamW and Muon, and which parameters each of them moves
processes   this process among those that torchrun started; one is not a special case
loop        step by step: batch, gradient, update; validation, checkpoints, what to do when it goes wrong
"""
