"""What heads are worth: the cost of a text when they are switched off, in nats for each block of the text."""

from collections.abc import Callable

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.evaluation.heads.passages import Blocks, Passage, pass_through
from attnlab.evaluation.heads.variants import Changes, changed_nats, rows_at_once
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.models.inside import Inside
from attnlab.models.lens import LayerHeads, Lens

Advance = Callable[[int], None]


def plain_costs(subject: Subject, passage: Passage) -> Blocks:
    """What each block costs the plain model in nats: the tokens, and what they lose."""
    nats = pass_through(subject, passage, lambda ids, targets, blocks: subject.predictor.nats(ids, targets))
    return nats + passage.summed(passage.charged)


def effects(
    subject: Subject,
    inside: Inside,
    passage: Passage,
    changes: Changes,
    *,
    frozen: bool = False,
    advance: Advance = lambda tokens: None,
) -> Float[np.ndarray, "changes blocks"]:
    """How many nats more each block costs under each change than in the plain model. What the tokens lose, and the
    first token, which no window predicts, cost the same."""
    found = np.zeros((len(changes), passage.blocks))

    def nats(ids: Tensor, targets: Tensor, blocks: np.ndarray) -> Tensor:
        plain = subject.predictor.nats(ids, targets)
        changed = changed_nats(inside, ids, targets, changes, frozen=frozen)
        np.add.at(found.T, blocks, (changed - plain.double().sum(-1).cpu()).numpy().T)
        return plain

    pass_through(subject, passage, nats, advance)
    return found


@torch.no_grad()
def mean_outputs(subject: Subject, inside: Inside, passage: Passage) -> Float[Tensor, "layers heads dim"]:
    """The mean output of each head over all positions of all windows of a passage."""
    sums = torch.zeros(inside.layers, inside.heads, inside.dim, dtype=torch.float64)
    count = 0

    def see(layer: int, heads: LayerHeads) -> None:
        sums[layer] += heads.outputs.double().sum((0, 2)).cpu()

    def nats(ids: Tensor, targets: Tensor, blocks: np.ndarray) -> Tensor:
        nonlocal count
        for some in ids.split(rows_at_once(inside, ids.shape[1], slow=True)):
            inside.hidden(some, Lens(see=see))
        count += ids.numel()
        return torch.zeros(targets.shape)

    pass_through(subject, passage, nats)
    return sums / count
