"""What the lengths of keys are worth: the loss of a model whose heads see all keys at the same length."""

from collections.abc import Collection, Mapping

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional

from attnlab.evaluation.heads.passes import LARGEST
from attnlab.evaluation.scoring.intervals import Estimate, estimated, spread
from attnlab.evaluation.scoring.nats_to_units import bits
from attnlab.models.inside import Inside
from attnlab.models.lens import Head, LayerHeads, Lens


def equal_lengths(lengths: Mapping[Head, float], heads: Collection[Head]) -> Lens:
    """A lens with which every key of some heads has the mean length of that head's keys; angles stay as they are.

    A logit is proportional to the length of its key: ℓ_j becomes ℓ_j · mean / ‖k_j‖.
    """

    def weigh(layer: int, seen: LayerHeads) -> Tensor:
        chosen = [head for head in heads if head.layer == layer]
        if not chosen or seen.keys is None:
            return seen.weights
        logits = seen.logits.clone()
        for head in chosen:
            factor = lengths[head] / seen.keys[:, head.place].norm(dim=-1).clamp_min(1e-30)
            logits[:, head.place] = seen.logits[:, head.place] * factor[:, None, :]
        return seen.softmax(torch.where(seen.logits.isneginf(), seen.logits, logits))

    return Lens(weigh=weigh)


@torch.no_grad()
def window_bits(
    inside: Inside, windows: Int[Tensor, "windows positions"], lens: Lens | None = None
) -> Float[np.ndarray, " windows"]:
    """The bits of each window's tokens after its first, given those before."""
    found = []
    for ids in windows.split(max(1, LARGEST // (inside.heads * windows.shape[1] ** 2))):
        logits = inside.logits(ids, lens)[:, :-1].float().mT
        nats = functional.cross_entropy(logits, ids[:, 1:].to(logits.device), reduction="none").sum(1)
        found += [bits(each) for each in nats.tolist()]
    return np.array(found)


def change(plain: Float[np.ndarray, " windows"], changed: Float[np.ndarray, " windows"], tokens: int) -> Estimate:
    """How many bits per token more the changed model needs, with its 95 % interval over windows, each of `tokens`
    tokens."""
    sizes = np.full(len(plain), float(tokens))
    return estimated(float((changed - plain).sum() / sizes.sum()), spread((changed - plain, sizes)))
