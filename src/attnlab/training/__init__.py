"""Training: one loop for every model that learns step by step, in one process or in many.

settings    what is asked: steps, batch, optimiser, schedule
recipes     whole configurations by name
muon, adamw the optimisers, on what they have in common (updates); optimisers: which parameters each of them moves
state       all that a run is at some step
processes   this process among those that torchrun started; one is not a special case
step        one update; graphs: the same as one launch on a GPU
loop        step by step, with validation and checkpoints, and what to do when it goes wrong
interrupts  Ctrl-C, taken between two steps
speed       what share of the GPU's peak is used
"""
