"""Continues prompts: greedily, or with the likeliest whole texts by beam search."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attnlab.models.mixers import Cache
from attnlab.models.transformer import Transformer

Written = tuple[list[int], float]
"""Tokens, and ln of their probability."""

AT_ONCE = 64
"""Prompts per batch."""


@torch.inference_mode()
def greedy(model: Transformer, prompts: Sequence[Sequence[int]], stop: int, most: int) -> list[Written]:
    """The greedy continuation of each prompt, up to and including `stop`, with at most `most` tokens."""
    found: list[Written] = [([], 0.0)] * len(prompts)
    for numbers, ids in _alike(prompts, _device(model)):
        cache = Cache()
        logits = model(ids, cache)[:, -1]
        room = min(most, model.config.context - ids.shape[1])
        tokens, nats = [], torch.zeros(len(ids), device=ids.device)
        ended = torch.zeros(len(ids), dtype=torch.bool, device=ids.device)
        for place in range(room):
            best, token = logits.float().log_softmax(-1).max(-1)
            nats = torch.where(ended, nats, nats + best)
            tokens.append(token)
            ended = ended | (token == stop)
            if bool(ended.all()) or place == room - 1:
                break
            logits = model(token[:, None], cache)[:, -1]
        written = torch.stack(tokens, 1).tolist() if tokens else [[]] * len(ids)
        for number, row, cost in zip(numbers, written, nats.tolist(), strict=True):
            found[number] = (row[: row.index(stop) + 1] if stop in row else row, cost)
    return found


@torch.inference_mode()
def beams(
    model: Transformer, prompts: Sequence[Sequence[int]], stop: int, most: int, width: int
) -> list[list[Written]]:
    """The likeliest continuations of each prompt that end with `stop`, by beam search; likeliest first.

    A text that does not end within `most` tokens is dropped; the list may be empty.
    """
    found: list[list[Written]] = [[] for _ in prompts]
    for numbers, ids in _alike(prompts, _device(model)):
        room = min(most, model.config.context - ids.shape[1])
        written, nats, ended = _search(model, ids, stop, room, width)
        for number, rows, costs, whole in zip(numbers, written.tolist(), nats.tolist(), ended.tolist(), strict=True):
            each = zip(rows, costs, whole, strict=True)
            texts = [(row[: row.index(stop)], cost) for row, cost, done in each if done]
            found[number] = sorted(texts, key=lambda text: -text[1])
    return found


def _search(
    model: Transformer, ids: Int[Tensor, "prompts positions"], stop: int, room: int, width: int
) -> tuple[Int[Tensor, "prompts beams written"], Float[Tensor, "prompts beams"], Bool[Tensor, "prompts beams"]]:
    """The beams of prompts of one length: tokens, ln of their probabilities, and whether they have ended."""
    cache = Cache()
    logits = model(ids, cache)[:, -1]
    still = torch.full((logits.shape[1],), -torch.inf, device=ids.device)
    still[stop] = 0.0  # an ended text does not change
    nats = torch.zeros(len(ids), 1, device=ids.device)
    ended, written = nats > 0, ids[:, None, :0]
    for _ in range(room):
        gains = logits.float().log_softmax(-1).view(*nats.shape, -1)
        every = nats[..., None] + torch.where(ended[..., None], still, gains)
        nats, place = every.flatten(1).topk(min(width, every[0].numel()))
        beam, token = place // len(still), place % len(still)
        row = torch.arange(len(ids), device=ids.device)[:, None] * every.shape[1] + beam
        cache = cache.picked(row.flatten())
        ended = ended.gather(1, beam) | (token == stop)
        kept = written.gather(1, beam[..., None].expand(-1, -1, written.shape[2]))
        written = torch.cat([kept, token[..., None]], 2)
        if bool(ended.all()) or written.shape[2] == room:
            break
        logits = model(token.reshape(-1, 1), cache)[:, -1]
    return written, nats, ended & nats.isfinite()


def _alike(
    prompts: Sequence[Sequence[int]], device: torch.device
) -> Iterator[tuple[list[int], Int[Tensor, "prompts positions"]]]:
    """Batches of prompts of one length, with their numbers: no padding and no mask are needed."""
    by_length: defaultdict[int, list[int]] = defaultdict(list)
    for number, prompt in enumerate(prompts):
        by_length[len(prompt)].append(number)
    for numbers in by_length.values():
        for first in range(0, len(numbers), AT_ONCE):
            some = numbers[first : first + AT_ONCE]
            yield some, torch.tensor([list(prompts[number]) for number in some], device=device)


def _device(model: Transformer) -> torch.device:
    return next(model.parameters()).device
