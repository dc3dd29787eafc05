"""An opened language model: it samples text, and scores a text token by token."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from attnlab.arguments import checked
from attnlab.benches.language.live_sampling import LIKELIEST, Drawn, drawn
from attnlab.calls import Call, OptionWord, given_text
from attnlab.contents import Content
from attnlab.errors import ArgumentError
from attnlab.evaluation.coding.token_readings import raw_pieces
from attnlab.evaluation.explanation.cells import Cell, cells
from attnlab.evaluation.sampling import opening, sample, stream
from attnlab.evaluation.scoring.alternatives import likeliest
from attnlab.evaluation.scoring.costs import Costs, Policy, costs
from attnlab.evaluation.scoring.nats_to_units import bits, bits_per_byte, perplexity
from attnlab.evaluation.scoring.predictors import NGramPredictor
from attnlab.evaluation.scoring.subjects import Subject, is_run, open_subject
from attnlab.evaluation.settings import USUAL_SAMPLING, Sampling
from attnlab.records import Record, Shown, record
from attnlab.runs.folder import Run
from attnlab.settings import Range, changed, changes
from attnlab.text import Tokenizer

LENGTH = 500
MOST = 1_000_000_000
"""The most tokens that a model is asked to write."""
MOST_LIKELIEST = 100
"""The most tokens that are listed in place of each token of a text."""
LONGEST_WORD = 100_000
"""The most bytes of a word of a command line. Linux takes 131,071."""


@dataclass(frozen=True)
class LanguageModel(Shown):
    """A model with its tokenizer: `sample` lets it write, `score` measures the cost of a text."""

    shown_by: ClassVar[str] = "opened.language_model"

    name: str
    subject: Subject
    step: int | None = None
    """The training step of its checkpoint; None for a model that the lab did not train."""

    def __repr__(self) -> str:
        """Its name, what it is, and its size."""
        step = f", step {self.step:,}" if self.step is not None else ""
        tokens = f"{self.tokenizer.size:,} {self.tokenizer.kind}"
        return f"LanguageModel({self.name}: {tokens}, context {self.context}{step})"

    @property
    def tokenizer(self) -> Tokenizer:
        """Its tokenizer."""
        return self.subject.tokenizer

    @property
    def context(self) -> int:
        """The context window: the most tokens that it sees."""
        return self.subject.predictor.context

    @checked
    def sample(
        self,
        prompt: str = "",
        length: int = LENGTH,
        sampling: Sampling | None = None,
        *,
        probabilities: bool = False,
        **how: Any,
    ) -> "Written":
        """Let it write `length` tokens after the prompt. `sampling` is how to draw them; keyword arguments change it:
        temperature, top_k, top_p, seed. `probabilities`: tell the probability of each token, too."""
        drawing = changed(sampling or USUAL_SAMPLING, how)
        ids: list[int] = []
        if not probabilities:
            text = "".join(self.write(prompt, length, drawing, ids))
            return Written(self, prompt, text, tuple(ids), drawing)
        Range(1, MOST).require("length", length)
        pieces = tuple(drawn(self.subject, self.prompt_ids(prompt), length, drawing, ids))
        return Written(self, prompt, "".join(each.text for each in pieces), tuple(ids), drawing, pieces)

    def write(self, prompt: str, length: int, sampling: Sampling, ids: list[int] | None = None) -> Iterator[str]:
        """The same text, piece by piece as it is drawn. The tokens are added to `ids`."""
        Range(1, MOST).require("length", length)
        before, told = self.prompt_ids(prompt), [] if ids is None else ids

        def noted() -> Iterator[int]:
            for token in islice(sample(self.subject.predictor, before, sampling), length):
                told.append(token)
                yield token

        return stream(self.tokenizer, noted(), before)

    @checked
    def draws(self, prompt: str = "", length: int = LENGTH, **how: Any) -> Iterator[Drawn]:
        """The text of `sample`, piece by piece as it is drawn: each with its probability, and the likeliest tokens."""
        Range(1, MOST).require("length", length)
        return drawn(self.subject, self.prompt_ids(prompt), length, changed(USUAL_SAMPLING, how))

    def prompt_ids(self, prompt: str) -> list[int]:
        """The tokens of a prompt. For an empty prompt, the tokens that the model starts after."""
        try:
            if prompt:
                return self.tokenizer.encode(prompt).ids.tolist()
            start = self.subject.start if isinstance(self.subject.predictor, NGramPredictor) else None
            return opening(self.tokenizer) if start is None else [start]
        except ArgumentError as error:
            raise ArgumentError("prompt", error.message) from error

    @checked
    def score(
        self, text: str, context: int | None = None, stride: int | None = None, likeliest: int = LIKELIEST
    ) -> "TextScore":
        """Measure the cost of a text, in total and token by token. The windows are those of `perplexity`: disjoint, and
        as long as the context window of the model. `likeliest` is how many of the likeliest tokens each token lists."""
        Range(0, MOST_LIKELIEST).require("likeliest", likeliest)
        if not text:
            raise ArgumentError("text", "the text is empty")
        policy = Policy.chosen(self.subject.predictor, context, stride)
        return TextScore(self, text, policy, costs(self.subject, text, policy), likeliest)


@record
class Written(Record):
    """The text that a model wrote after a prompt."""

    shown_by: ClassVar[str] = "language.runs_and_scores.written"

    model: LanguageModel
    prompt: str
    text: str
    ids: tuple[int, ...]
    sampling: Sampling
    pieces: tuple[Drawn, ...] = ()
    """The text in pieces with their probabilities, if these were asked for."""

    def to_dict(self) -> dict[str, Any]:
        """The prompt, the text and its tokens; the probabilities, if they were asked for."""
        own = {"run": self.model.name, "step": self.model.step}
        told = own | {"prompt": self.prompt, "text": self.text, "ids": list(self.ids)}
        return told | ({"pieces": [asdict(each) for each in self.pieces]} if self.pieces else {})

    def __str__(self) -> str:
        """The prompt as the model reads it, and the text that it wrote."""
        return self.model.tokenizer.decode(self.model.prompt_ids(self.prompt)).lstrip("\n") + self.text

    @property
    def call(self) -> Call:
        """The call that writes it again."""
        return sample_call(self.model.name, self.prompt, len(self.ids), self.sampling, bool(self.pieces))


def sample_call(model: str, prompt: str, length: int, sampling: Sampling, probabilities: bool) -> Call:
    """The call that lets a model write."""
    options: dict[str, Any] = {"prompt": prompt} if prompt else {}
    options |= {"length": length} if length != LENGTH else {}
    options |= {"probabilities": True} if probabilities else {}
    return Call("sample", (model,), options | changes(sampling, USUAL_SAMPLING), "open().sample")


@dataclass(frozen=True)
class TokenCost:
    """A token of a text, its cost, and the model's likeliest tokens with their probabilities."""

    text: str
    bits: float
    probability: float
    unknown: bool
    likeliest: tuple[tuple[str, float], ...]


@record
class TextScore(Record):
    """The cost of a text for a model: in total, and token by token."""

    shown_by: ClassVar[str] = "language.runs_and_scores.text_score"

    model: LanguageModel
    text: str
    policy: Policy
    costs: Costs
    likeliest: int = LIKELIEST
    """How many of the likeliest tokens each token has."""

    @property
    def bits_per_byte(self) -> float:
        """The bits for one byte of the raw text, with unknown words spelled out."""
        return bits_per_byte(float(self.costs.comparable.sum()), len(self.text.encode()))

    @property
    def lower_bound(self) -> str:
        """Why `bits_per_byte` is only a lower bound: the tokens lose a part of the text; empty if they lose nothing."""
        return self.costs.charged.untold

    @property
    def nats_per_token(self) -> float:
        """The mean of −ln p."""
        return float(self.costs.nats.mean())

    @property
    def perplexity(self) -> float:
        """e to the power of the nats per token."""
        return perplexity(self.nats_per_token)

    @cached_property
    def tokens(self) -> tuple[TokenCost, ...]:
        """The tokens, each with its cost and the likeliest alternatives."""
        subject, encoding = self.model.subject, self.costs.encoding
        instead = likeliest(subject, encoding, self.policy, self.likeliest)
        texts = raw_pieces(self.text, encoding)
        probabilities = np.exp(-self.costs.nats).tolist()
        decoded = {id: subject.tokenizer.decode([id]) for id in {id for ids, _ in instead for id in ids}}
        return tuple(
            TokenCost(
                text,
                bits(nats),
                probability,
                unknown,
                tuple((decoded[id], share) for id, share in zip(ids, shares, strict=True)),
            )
            for text, nats, probability, unknown, (ids, shares) in zip(
                texts, self.costs.comparable.tolist(), probabilities, self.costs.unknown.tolist(), instead, strict=True
            )
        )

    def beside(self, other: "TextScore") -> list[Cell]:
        """The text in cells, where tokens of both models begin and end, with the cost of each cell for both."""
        if self.text != other.text:
            raise ArgumentError("other", "expected the score of the same text, got one of another text")
        return cells([self.costs, other.costs])

    @Content(
        "bits_per_byte",
        "nats_per_token",
        "perplexity",
        "policy.context",
        "policy.stride",
        model=str,
        lower_bound=str | None,
        tokens=list[TokenCost],
    )
    def to_dict(self) -> dict[str, Any]:
        """The whole content."""
        return {
            "model": self.model.name,
            "bits_per_byte": self.bits_per_byte,
            "lower_bound": self.lower_bound or None,
            "nats_per_token": self.nats_per_token,
            "perplexity": self.perplexity,
            "context": self.policy.context,
            "stride": self.policy.stride,
            "tokens": [asdict(each) for each in self.tokens],
        }

    @property
    def call(self) -> Call:
        """The call that measures the text again."""
        usual = Policy.disjoint(self.model.subject.predictor)
        options: dict[str, Any] = {}
        options |= {"context": self.policy.context} if self.policy.context != usual.context else {}
        options |= {"stride": self.policy.stride} if self.policy.stride != self.policy.context else {}
        options |= {"likeliest": self.likeliest} if self.likeliest != LIKELIEST else {}
        return Call("score", (self.model.name, _as_word(self.text)), options, "open().score")


def _as_word(text: str) -> str | OptionWord:
    """A text as a word of a command line; in a file if it is too long for that."""
    return text if len(text.encode()) <= LONGEST_WORD else OptionWord("file", given_text("text", text))


def open_model(name: str, device: str = "cpu") -> LanguageModel:
    """The model in the folder of a run, in an ARPA file, or in a Hugging Face folder: hf:FOLDER."""
    subject = open_subject(str(name), device)
    return LanguageModel(str(name), subject, Run(Path(name)).best().step if is_run(str(name)) else None)
