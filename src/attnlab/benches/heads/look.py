"""Look at a sentence as heads see it: the attention weights of one, some or all heads on a short text."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from jaxtyping import Float32
from safetensors.numpy import save as as_safetensors

from attnlab.benches.heads.opening import HeadsModel, open_model_heads
from attnlab.calls import Call
from attnlab.errors import ArgumentError, either
from attnlab.evaluation.coding.token_readings import raw_pieces
from attnlab.evaluation.heads.looking import Pattern, look_at
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.files import write_whole
from attnlab.models.lens import Head, check_head, every_head
from attnlab.progress import SILENT, Observer
from attnlab.records import Record, record
from attnlab.settings import Device
from attnlab.text.encoding import Encoding

ENDINGS = (".html", ".svg", ".png", ".json", ".csv", ".safetensors")
MOST_WRITTEN = 2_000_000
"""A .csv or .json file holds at most this many weights."""


@record
class HeadPatterns(Record):
    """The attention weights of heads on a text. Heads are written LAYER.HEAD, and positions are counted from 0."""

    shown_by: ClassVar[str] = "heads.look.presentation.looked"

    model: str
    text: str
    tokens: tuple[str, ...]
    """The text of each token. A model with a start token has it before the text, as position 0."""
    patterns: Mapping[str, Pattern]
    """By head, what it computed: its logits, weights, queries, keys and values."""
    shape: tuple[int, int]
    """How many layers the model has, and how many heads in each layer."""
    query: int
    """The position of the token whose attention the terminal shows."""
    unknown: tuple[int, ...] = ()
    """The positions of tokens that stand for unknown words or characters."""
    started: bool = False
    """Whether position 0 is the model's start token."""

    @property
    def heads(self) -> tuple[str, ...]:
        """The heads that were looked at."""
        return tuple(self.patterns)

    @property
    def all_heads(self) -> bool:
        """Whether these are all heads of the model."""
        return len(self.patterns) == self.shape[0] * self.shape[1]

    def pattern(self, head: str | None = None) -> Pattern:
        """What a head computed; the head can be left out if only one was looked at."""
        name = self.heads[0] if head is None and len(self.heads) == 1 else head
        if name is None or name not in self.patterns:
            raise ArgumentError("head", f"expected a head that was looked at, {_some(self.heads)}; got {head!r}")
        return self.patterns[name]

    def weights(self, head: str | None = None) -> Float32[np.ndarray, "tokens tokens"]:
        """The weights of a head: a row for each query, a column for each key; 0 for later keys."""
        return self.pattern(head).weights()

    def logits(self, head: str | None = None) -> Float32[np.ndarray, "tokens tokens"]:
        """The logits of a head: a row for each query, a column for each key; −∞ for later keys."""
        return self.pattern(head).logits()

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row for each head, query and key that is not later: what a .csv file holds."""
        self._check_count()
        for name, pattern in self.patterns.items():
            head = Head.read(name)
            for query, token in enumerate(self.tokens):
                for key, (weight, logit) in enumerate(zip(*pattern.of_query(query), strict=True)):
                    yield {
                        "layer": head.layer,
                        "head": head.place,
                        "query": query,
                        "key": key,
                        "query_token": token,
                        "key_token": self.tokens[key],
                        "logit": float(logit),
                        "weight": float(weight),
                    }

    def to_dict(self) -> dict[str, Any]:
        """The tokens, and by head the weights and logits of each query with the keys up to it."""
        self._check_count()
        queries = range(len(self.tokens))
        found = {}
        for name, pattern in self.patterns.items():
            weights, logits = zip(*map(pattern.of_query, queries), strict=True)
            found[name] = {
                "weights": [each.tolist() for each in weights],
                "logits": [[x if np.isfinite(x) else None for x in each.tolist()] for each in logits],
            }
        return {"model": self.model, "text": self.text, "tokens": list(self.tokens), "heads": found}

    def arrays(self) -> dict[str, Float32[np.ndarray, "..."]]:
        """The arrays of a .safetensors file: 2.1.weights, 2.1.logits, 2.1.queries, 2.1.keys, 2.1.values, …"""
        found = {}
        for name, each in self.patterns.items():
            parts = {"weights": each.weights(), "logits": each.logits(), "queries": each.queries, "keys": each.keys}
            found |= {f"{name}.{part}": array for part, array in parts.items() if array is not None}
            found[f"{name}.values"] = each.values
        return found

    def save(self, path: str | Path) -> Path:
        """Write it to a file: .html, .svg, .png, .json, .csv, or .safetensors for the arrays."""
        path = Path(path)
        check_ending(path)
        if path.suffix.lower() != ".safetensors":
            return super().save(path)
        tokens = json.dumps([each.encode("utf-8", "replace").decode() for each in self.tokens])
        write_whole(path, as_safetensors(self.arrays(), {"model": self.model, "tokens": tokens}))
        return path

    @property
    def call(self) -> Call:
        """The call that looks again."""
        chosen = {} if self.all_heads else {"head": ",".join(self.heads)}
        query = {} if self.query == len(self.tokens) - 1 else {"query": self.query}
        return Call("heads look", (self.model, self.text), {**chosen, **query})

    def _check_count(self) -> None:
        """Raise if there are too many weights to write as text."""
        count = sum(len(each.past) for each in self.patterns.values())
        if count > MOST_WRITTEN:
            said = f"{count:,} weights are too many for .csv and JSON, which take {MOST_WRITTEN:,}"
            raise ArgumentError("head", f"{said}; choose fewer heads, or save a .safetensors file")


def check_ending(path: Path) -> None:
    """Raise unless the ending names a format."""
    if path.suffix.lower() not in ENDINGS:
        raise ArgumentError("save", f"expected a file that ends in {either(ENDINGS)}, got '{path}'")


def look(
    model: HeadsModel,
    text: str,
    head: str = "",
    query: int | None = None,
    device: Device = "auto",
    observer: Observer = SILENT,
) -> HeadPatterns:
    """Look at a text with one head of a model, "2.1", with some, "0.3,2.1", or with all of them.

    `query` is the position whose attention a terminal shows; None for the last one.
    """
    chosen = [Head.read(each) for each in head.split(",")] if head else []
    subject, inside = open_model_heads(model, device)
    for each in chosen:
        check_head(each, inside)
    encoding = _encoded(subject, text, inside.context)
    start = [] if subject.start is None else [subject.start]
    tokens = (*map(subject.tokenizer.decode, [[each] for each in start]), *raw_pieces(text, encoding))
    if query is not None and not 0 <= query < len(tokens):
        raise ArgumentError("query", f"expected a position from 0 to {len(tokens) - 1}, got {query}")
    with observer.task(f"reading {len(tokens):,} tokens"):
        ids = torch.tensor([*start, *encoding.ids.tolist()])
        found = look_at(inside, ids, list(dict.fromkeys(chosen or every_head(inside))))
    if not all(np.isfinite(each.totals).all() for each in found.values()):
        raise ArgumentError("model", f"the attention weights of {subject.name} are NaN: its training went wrong")
    unknown = () if subject.unknown is None else np.flatnonzero(encoding.ids == subject.unknown) + len(start)
    return HeadPatterns(
        subject.name,
        text,
        tokens,
        {str(head): pattern for head, pattern in found.items()},
        (inside.layers, inside.heads),
        len(tokens) - 1 if query is None else query,
        tuple(map(int, unknown)),
        bool(start),
    )


def _encoded(subject: Subject, text: str, context: int) -> Encoding:
    """The tokens of a text that the model can see at once; with the start token, at least two."""
    if not text:
        raise ArgumentError("text", "the text is empty; expected at least 2 tokens")
    encoding = subject.tokenizer.encode(text)
    count = len(encoding) + (subject.start is not None)
    if count < 2:
        raise ArgumentError("text", "the text has 1 token; expected at least 2: a lone token attends to itself only")
    if count > context:
        said = f"the text has {count:,} tokens" + (", the start token included" if subject.start is not None else "")
        raise ArgumentError("text", f"{said}; {subject.name} sees at most {context:,} at once: give a shorter text")
    return encoding


def _some(names: Sequence[str]) -> str:
    """Names in a sentence, the first and the last if there are many."""
    return ", ".join(names) if len(names) <= 8 else f"{names[0]} to {names[-1]}"
