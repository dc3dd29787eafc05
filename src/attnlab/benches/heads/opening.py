"""A model whose heads can be looked at, opened by name or given, and the tokens of a text for it."""

from typing import Any, NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor

from attnlab.benches.language import TrainedRun
from attnlab.benches.perplexity.models import AnyModel, open_subject
from attnlab.benches.perplexity.texts import AnyText, OpenedText, open_text
from attnlab.errors import ArgumentError
from attnlab.evaluation.heads.opening import open_heads
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.models.inside import Inside
from attnlab.settings import Device

HeadsModel = AnyModel | TrainedRun
"""The folder of a run, a Hugging Face model (hf:FOLDER or hf:NAME), an opened model, or a finished run."""

SAMPLE = 4096
"""The most tokens that random rows are drawn from."""


class OpenedHeads(NamedTuple):
    """A model with its tokenizer, and what it lets one see of its heads."""

    subject: Subject
    inside: Inside


def open_model_heads(model: HeadsModel, device: Device = "auto") -> OpenedHeads:
    """Open a model. Raises for models without attention."""
    subject = open_subject(model.path if isinstance(model, TrainedRun) else model, device)
    return OpenedHeads(subject, open_heads(subject))


def heads_text(subject: Subject, text: AnyText | None) -> OpenedText:
    """A text by name, file or string; without one, the held-out part of the text that the model was trained on."""
    if text is not None:
        return open_text(text)
    if subject.trained_on is None:
        expected = "expected a file or the name of a text (attnlab data list)"
        raise ArgumentError("text", f"{expected}: the text that {subject.name} was trained on is not known")
    found = subject.trained_on.read()
    return OpenedText(subject.trained_on.name, found.parts.get("test") or found.parts["validation"])


def text_option(given: AnyText | None, read: OpenedText) -> dict[str, Any]:
    """The option that names a text; empty for the usual one."""
    return {} if given is None else {"text": read.argument}


def first_tokens(subject: Subject, text: OpenedText, most: int | None = None) -> Int[Tensor, " tokens"]:
    """The first tokens of a text, at least two. All tokens if `most` is None."""
    with text.read_by(subject):
        ids: list[int] = []
        for piece in text.pieces(subject.tokenizer):
            ids.extend(subject.tokenizer.encode(piece).ids.tolist())
            if most is not None and len(ids) >= most:
                break
    if len(ids) < 2:
        tokens = "1 token" if ids else "no tokens"
        raise text.error(f"the text has {tokens}; expected at least 2: a head needs a token to look back at")
    return torch.tensor(ids[:most])


def known_tokens(opened: OpenedHeads, seed: int = 0) -> Int[Tensor, " tokens"]:
    """Tokens that may follow one another in any order, for random rows: all but blank ones, which end words and lines,
    and the one for what the tokenizer does not know. Of a large vocabulary, a sample of 4,096."""
    tokenizer = opened.subject.tokenizer
    order = torch.randperm(min(opened.inside.size, tokenizer.size), generator=torch.Generator().manual_seed(seed))
    some = order[:SAMPLE].sort().values.tolist()
    return torch.tensor([each for each in some if each != opened.subject.unknown and tokenizer.decode([each]).strip()])
