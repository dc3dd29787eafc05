"""The lab's theory of attention, held against the heads of a trained model.

spread          the exact law of a weight under noisy key lengths, against the weights of the head
reach           the largest weight that any query could give to the attended key, against what the head gives
scales          the head's logit scale, against the best scale for keys as noisy as its own
sinks           why the first token gets attention: because its key is long, or because of its angle
equal_lengths   what the lengths of keys are worth: the loss if all keys of a head had the same length
"""
