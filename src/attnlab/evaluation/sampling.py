"""Letting a model write: tokens drawn one by one, and the text that they make as it comes."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.evaluation.scoring.predictors import NGramPredictor, Predictor
from attnlab.models.bigram import Bigram
from attnlab.models.kinds import Model, StepwiseModel, new_cache
from attnlab.models.ngram import NGram
from attnlab.models.transformer import Transformer
from attnlab.settings import Range, settings
from attnlab.text import Tokenizer

PARTIAL = "\N{REPLACEMENT CHARACTER}"
LONGEST_CHARACTER = 4
"""UTF-8 takes at most so many bytes for a character, and so at most as many tokens."""


@settings
class Sampling:
    """How the next token is drawn from the model's probabilities."""

    temperature: Annotated[float, Range(0, 1000)] = 1.0
    """Below 1: more predictable. Above 1: more varied. 0 always takes the likeliest token."""
    top_k: Annotated[int, Range(0)] = 0
    """Draw from so many of the likeliest tokens only; 0: from all."""
    top_p: Annotated[float, Range(1e-9, 1)] = 1.0
    """Draw from the fewest likeliest tokens that have this much probability together."""
    seed: Annotated[int, Range(0, 2**63 - 1)] = 0
    """The same seed writes the same."""


def draw(logits: Float[Tensor, "vocab"], sampling: Sampling, generator: torch.Generator) -> int:
    """One token.

    >>> draw(torch.tensor([0.0, 2.0, 1.0]), Sampling(temperature=0), torch.Generator())
    1
    """
    if sampling.temperature == 0:
        return int(logits.argmax())
    ordered, ids = torch.sort(logits.double() / sampling.temperature, descending=True, stable=True)
    chances = torch.softmax(ordered, dim=0)
    if sampling.top_k:
        chances[sampling.top_k :] = 0
    if sampling.top_p < 1:
        before = chances.cumsum(0) - chances  # what the likelier ones have together
        chances[before >= sampling.top_p * chances.sum()] = 0
    return int(ids[torch.multinomial(chances, 1, generator=generator)])


@torch.inference_mode()
def sample(model: Model | Predictor, prompt: Sequence[int], sampling: Sampling) -> Iterator[int]:
    """Tokens after the prompt, one by one, without end. They are a function of the model, the prompt and the seed.

    An empty prompt starts from token 0. A Transformer keeps the keys and values of the tokens that it has seen; when
    its context is full it goes on from the later half of it.
    """
    generator = torch.Generator().manual_seed(sampling.seed)
    seen = [int(each) for each in prompt] or [0]
    logits_after = _logits(model)
    while True:
        token = draw(logits_after(seen).cpu(), sampling, generator)
        seen.append(token)
        yield token


def _logits(model: Model | Predictor) -> Callable[[list[int]], Tensor]:
    """A function of all tokens so far: the logits of the next. Each call must have one token more than the last."""
    if isinstance(model, Predictor):
        own = model.model if isinstance(model, NGramPredictor) else model.module
        if isinstance(own, NGram | Bigram | StepwiseModel):
            return _logits(own)
        return lambda seen: model.log_probs(torch.tensor([seen[-model.context :]]))[0, -1]
    if isinstance(model, NGram):
        return lambda seen: torch.from_numpy(model.next(seen[-model.order :])).log()
    model.eval()
    device = next(model.parameters()).device
    if isinstance(model, Bigram):
        return lambda seen: model(torch.tensor(seen[-1:], device=device))[-1]
    return _Remembering(model, device).after


@dataclass
class _Remembering:
    """A model with its cache: only new tokens are computed."""

    model: StepwiseModel
    device: torch.device

    def __post_init__(self):
        self.cache = new_cache(self.model)
        self.known = 0

    def after(self, seen: list[int]) -> Tensor:
        """The logits of the token after those seen."""
        new = seen[self.known :]
        context = self.model.config.context
        if isinstance(self.model, Transformer) and self.cache.length + len(new) > context:
            self.cache = new_cache(self.model)
            new = seen[-max(1, context // 2) :]
        self.known = len(seen)
        return self.model(torch.tensor([new], device=self.device), self.cache)[0, -1].float()


def opening(tokenizer: Tokenizer) -> list[int]:
    """What a text begins after where no prompt is given: the end of a line, where tokens know lines."""
    return tokenizer.encode("\n").ids.tolist() if tokenizer.kind != "words" else []


def stream(tokenizer: Tokenizer, ids: Iterable[int], after: Sequence[int] = ()) -> Iterator[str]:
    """The text of tokens as they come, `after` others; a token that ends inside a character waits for the rest of it.

    >>> from attnlab.text import train_tokenizer
    >>> list(stream(train_tokenizer("bytes", ""), "né!".encode()))
    ['n', 'é', '!']
    """
    # What a token reads as may depend on its neighbour (a space between words), so it is decoded behind the one before.
    told, waiting = list(after[-1:]), []
    for token in ids:
        waiting.append(token)
        text = _text(tokenizer, told, waiting)
        if text.endswith(PARTIAL) and len(waiting) < LONGEST_CHARACTER:
            continue
        yield text
        told, waiting = waiting, []
    if waiting:
        yield _text(tokenizer, told, waiting)


def _text(tokenizer: Tokenizer, told: list[int], new: list[int]) -> str:
    return tokenizer.decode([*told, *new])[len(tokenizer.decode(told)) :] if told else tokenizer.decode(new)
