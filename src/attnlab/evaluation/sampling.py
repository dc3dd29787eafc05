"""Sampling: a model writes text, token by token."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.errors import ArgumentError
from attnlab.evaluation.scoring.predictors import NGramPredictor, Predictor
from attnlab.evaluation.settings import Sampling
from attnlab.models.bigram import Bigram
from attnlab.models.kinds import Model, StepwiseModel, new_cache
from attnlab.models.ngrams.context_tree import ContextTree
from attnlab.models.transformer import Transformer
from attnlab.text import Tokenizer

PARTIAL = "\N{REPLACEMENT CHARACTER}"
LONGEST_CHARACTER = 4
"""UTF-8 needs at most 4 bytes for a character, so a character spans at most 4 tokens."""


def draw(logits: Float[Tensor, "vocab"], sampling: Sampling, generator: torch.Generator) -> int:
    """The next token, drawn from the logits.

    >>> draw(torch.tensor([0.0, 2.0, 1.0]), Sampling(temperature=0), torch.Generator())
    1
    """
    if not logits.max().isfinite():
        raise ArgumentError("model", "its logits are NaN or infinite: its weights are damaged, or training diverged")
    if sampling.temperature == 0:
        return int(logits.argmax())
    below = logits.double() - logits.max()  # so that no temperature, however low, gives infinity
    ordered, ids = torch.sort(below / sampling.temperature, descending=True, stable=True)
    chances = torch.softmax(ordered, dim=0)
    if sampling.top_k:
        chances[sampling.top_k :] = 0
    if sampling.top_p < 1:
        before = chances.cumsum(0) - chances  # the probability of all likelier tokens together
        chances[before >= sampling.top_p * chances.sum()] = 0
    return int(ids[torch.multinomial(chances, 1, generator=generator)])


def sample(model: Model | Predictor, prompt: Sequence[int], sampling: Sampling) -> Iterator[int]:
    """Yields the tokens after the prompt, one by one, without end. The same seed gives the same tokens.

    An empty prompt starts from token 0. A Transformer caches keys and values; when its context is full, it goes on
    from the later half of the context.
    """
    return (token for token, _ in draws(model, prompt, sampling))


def draws(
    model: Model | Predictor, prompt: Sequence[int], sampling: Sampling
) -> Iterator[tuple[int, Float[Tensor, "vocab"]]]:
    """The same tokens, each with the logits that it was drawn from."""
    generator = torch.Generator().manual_seed(sampling.seed)
    seen = [int(each) for each in prompt] or [0]
    logits_after = _logits(model)
    while True:
        with torch.inference_mode():  # not around the yield: the caller may go on in another thread
            logits = logits_after(seen).cpu()
        token = draw(logits, sampling, generator)
        seen.append(token)
        yield token, logits


def _logits(model: Model | ContextTree | Predictor) -> Callable[[list[int]], Tensor]:
    """A function from all tokens so far to the logits of the next token. Each call must pass one more token."""
    if isinstance(model, Predictor):
        own = model.model if isinstance(model, NGramPredictor) else model.module
        if isinstance(own, ContextTree | Bigram | StepwiseModel):
            return _logits(own)
        return lambda seen: model.log_probs(torch.tensor([seen[-model.context :]]))[0, -1]
    if isinstance(model, ContextTree):
        return lambda seen: torch.from_numpy(model.next(seen[-model.order :])).log()
    model.eval()
    device = next(model.parameters()).device
    if isinstance(model, Bigram):
        return lambda seen: model(torch.tensor(seen[-1:], device=device))[-1]
    return _CachedModel(model, device).after


@dataclass
class _CachedModel:
    """A model with its cache, so that only new tokens are computed."""

    model: StepwiseModel
    device: torch.device

    def __post_init__(self):
        self.cache = new_cache(self.model)
        self.known = 0

    def after(self, seen: list[int]) -> Tensor:
        """The logits of the token that follows `seen`."""
        new = seen[self.known :]
        context = self.model.config.context
        if isinstance(self.model, Transformer) and self.cache.length + len(new) > context:
            self.cache = new_cache(self.model)
            new = seen[-max(1, context // 2) :]
        self.known = len(seen)
        return self.model(torch.tensor([new], device=self.device), self.cache)[0, -1].float()


def opening(tokenizer: Tokenizer) -> list[int]:
    """The tokens to start from if there is no prompt: a line end, or nothing for tokenizers without line ends."""
    return tokenizer.encode("\n").ids.tolist() if tokenizer.kind != "words" else []


def stream(tokenizer: Tokenizer, ids: Iterable[int], after: Sequence[int] = ()) -> Iterator[str]:
    """Yields the text of tokens as they arrive, following `after`; incomplete characters wait for their last byte.

    >>> from attnlab.text import train_tokenizer
    >>> list(stream(train_tokenizer("bytes", ""), "né!".encode()))
    ['n', 'é', '!']
    """
    # The text of a token may depend on its neighbour (a space between words), so decode it together with the last one.
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
