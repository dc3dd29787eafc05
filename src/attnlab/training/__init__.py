"""Training: one loop for every model that learns step by step, in one process or in many.

settings    the options: steps, batch, optimiser, learning-rate schedule
recipes     the registry of recipes: complete settings by name
optimisers  AdamW, Muon and gradient descent, and which parameters each of them updates
state       a model in training: weights, their average, the optimisers' state, the step
targets     what a model should predict at each position, and what it only reads
processes   this process among those that torchrun started; torchrun: what it tells them
step        one update of the weights; graphs: the same as one launch on a GPU; compiling: by torch.compile
loop        step after step, with validation and checkpoints; stops if training diverges
speed       the precision, and the share of the GPU's peak that training uses
language, facts, classifier   data, settings and recipes of the lab's three kinds of training
"""
