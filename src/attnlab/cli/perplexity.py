"""attnlab perplexity: models measured on texts, in units that compare, or refused."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from tyro.conf import Positional, arg

from attnlab.cli.outcome import Outcome, progress_bar
from attnlab.errors import ArgumentError, FileError

if TYPE_CHECKING:
    from attnlab.data.stretches import Stretch
    from attnlab.evaluation.audit import Certificate
    from attnlab.evaluation.costs import Policy
    from attnlab.evaluation.measures import Measure
    from attnlab.evaluation.precision import Halved
    from attnlab.evaluation.preprocessed import Preprocessed
    from attnlab.evaluation.subjects import Subject
    from attnlab.evaluation.tallies import Estimate

Advance = Callable[[int], None]


@dataclass(frozen=True)
class Measured:
    """A model on a text: under each policy, what it cost; and the certificate that says whether to believe it."""

    model: str
    text: str
    measures: tuple[Measure, ...]
    certificate: Certificate
    unit: str
    """What its tokenizer may not know: words, characters or tokens."""
    seen: float | None
    """The share of the text that stands in its training text, where that can be had."""
    precision: str = "float32"

    def as_json(self, *, force: bool) -> dict[str, Any]:
        """All of it; what is unsound has no number unless it is forced."""
        sound = self.certificate.sound
        told = [each.as_json() for each in self.measures] if sound or force else None
        return {
            "model": self.model,
            "text": self.text,
            "sound": sound,
            "precision": self.precision,
            "seen_in_training": self.seen,
            "measures": told,
            "certificate": self.certificate.as_json(),
        }


@dataclass(frozen=True)
class Compared:
    """Two models on one text: how many bits per byte the better one saves, in disjoint windows."""

    text: str
    better: str
    worse: str
    saved: Estimate

    def as_json(self) -> dict[str, Any]:
        """All of it."""
        return asdict(self)


@dataclass(frozen=True)
class Perplexity:
    """Measure models on texts: perplexity, and bits per byte, which compare; each number is audited or refused.

    A model is the folder of a run, or hf:FOLDER for a causal language model of Hugging Face's. Each is measured with
    disjoint windows, and strided so that every token has much before it. Unknown words are not free: they are spelled.

    Example: attnlab perplexity first-run --text notes.txt --explain
    """

    models: Positional[Annotated[tuple[str, ...], arg(metavar="MODEL ...")]]
    """Folders of runs, or hf:FOLDER."""
    text: Annotated[tuple[str, ...], arg(metavar="FILE ...")]
    """Text files, or names of texts (attnlab data list), of which the part held out for reports is taken."""
    context: Annotated[int | None, arg(metavar="TOKENS", help_behavior_hint="")] = None
    """How many tokens a model sees at most (default: all that it can)."""
    stride: Annotated[int | None, arg(metavar="TOKENS", help_behavior_hint="")] = None
    """How far strided windows move on (default: half the context)."""
    explain: bool = False
    """Say where the cost comes from; of two models on a text, or a model on two texts, why they differ."""
    html: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """With --explain, write the text here with each token shaded by its surprise."""
    plot: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """With --explain, write the chart of the parts here: .png, .svg or .html."""
    preprocess: Annotated[str, arg(metavar="STEP,STEP,...", help_behavior_hint="")] = ""
    """Measure also after these steps, and what each throws away: lower, punctuation, numbers, quotes, whitespace …"""
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    """auto: bfloat16 where a sample says that it is faster and changes no digit that is printed; else float32."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where networks run; auto: on a GPU where there is one."""
    force: bool = False
    """Print a number that failed its audit too, marked as unsound."""
    json: bool = False
    """Print one JSON value instead of tables."""

    def run(self) -> Outcome:
        """Measure every model on every text; explain, where that is asked for."""
        from attnlab.cli.perplexity_table import compared_lines, measured_lines, preprocessed_lines
        from attnlab.evaluation.subjects import open_subject

        self._check()
        texts = {name: open_text(name) for name in self.text}
        subjects = [open_subject(name, self._device()) for name in dict.fromkeys(self.models)]
        found = [self._named(subject, name, texts[name]) for name in texts for subject in subjects]
        sound = all(each.certificate.sound for each in found)
        value: dict[str, Any] = {"measured": [each.as_json(force=self.force) for each in found]}
        shown = measured_lines(found, {name: each.size for name, each in texts.items()}, force=self.force)
        if sound or self.force:
            pairs = compared(found)
            value["compared"] = [each.as_json() for each in pairs]
            shown += compared_lines(pairs)
            if self.preprocess:
                tried = self._preprocessed(subjects, texts)
                value["preprocessed"] = [
                    {"model": model, "text": name, "after": trial, **each.as_json()}
                    for model, name, rows in tried
                    for trial, each in rows.items()
                ]
                shown += preprocessed_lines(tried)
            if self.explain:
                told, lines = self._explained(subjects, texts)
                value["explained"] = told
                shown += lines
        return Outcome(value, shown, holds=sound)

    def _check(self) -> None:
        """Refuse what cannot be done before anything is loaded."""
        from attnlab.text.preprocessing import find_steps

        if not self.models:
            raise ArgumentError("MODEL", "expected at least one, before --text, which takes all that follows it")
        if not self.text:
            raise ArgumentError("text", "expected at least one")
        for name in ("context", "stride"):
            given = getattr(self, name)
            if given is not None and given < 1:
                raise ArgumentError(name, f"expected at least 1, got {given}")
        for name in ("html", "plot"):
            if getattr(self, name) is not None and not self.explain:
                raise ArgumentError(name, "expected --explain with it")
        models, texts = len(set(self.models)), len(set(self.text))
        if self.explain and (models, texts) not in ((1, 1), (1, 2), (2, 1)):
            raise ArgumentError("explain", f"expected a model or two on a text, or one on two; got {models} on {texts}")
        if self.plot is not None:
            from attnlab.report.charts import check_plot_path

            if (models, texts) == (1, 1):
                raise ArgumentError("plot", "expected two models or two texts, whose gap has parts")
            check_plot_path(self.plot)
        find_steps(self._steps())

    def _steps(self) -> list[str]:
        return [step.strip() for step in self.preprocess.split(",") if step.strip()]

    def _named(self, subject: Subject, name: str, text: Stretch) -> Measured:
        """A model on a text; what is wrong with the text is said of its file."""
        try:
            return self._measured(subject, name, text)
        except ArgumentError as error:
            if error.argument != "text":
                raise
            raise FileError(Path(name), f"{error.message} (by the tokenizer of {subject.name})") from error

    def _measured(self, subject: Subject, name: str, text: Stretch) -> Measured:
        from attnlab.cli.perplexity_table import reads_the_same
        from attnlab.data.tokens import cut_again
        from attnlab.evaluation.audit import audit
        from attnlab.evaluation.ledger import ledger_of_pieces
        from attnlab.evaluation.measures import measure
        from attnlab.evaluation.overlap import seen_in_training

        first = next(cut_again(subject.tokenizer, text.pieces()), "")
        counted = ledger_of_pieces(subject.tokenizer, text.pieces(), subject.unknown)
        assert counted is None or counted.file_bytes == text.size  # pieces are cut, and lose nothing
        certificate = audit(subject, first, counted=counted)
        kind = subject.tokenizer.kind
        unit = kind if kind in ("words", "characters") else "tokens"
        known = (certificate, unit, seen_in_training(subject, first))
        if not certificate.sound and not self.force:
            return Measured(subject.name, name, (), *known)
        policies = self._policies(subject)
        tokens = counted.tokens if counted else 0

        def measured(by: Subject) -> tuple[Measure, ...]:
            with advancing(f"{subject.name} on {name}", tokens * len(policies)) as advance:
                return tuple(measure(by, cut_again(by.tokenizer, text.pieces()), each, advance) for each in policies)

        halved = self._halved(subject, [first], tokens, policies[0])
        if halved is not None:
            found = measured(halved.subject)
            if self.precision == "bfloat16" or all(reads_the_same(each, halved.drift) for each in found):
                return Measured(subject.name, name, found, *known, "bfloat16")
        return Measured(subject.name, name, measured(subject), *known)

    def _halved(self, subject: Subject, pieces: list[str], tokens: int, policy: Policy) -> Halved | None:
        """The subject in bfloat16, where that is asked for or worth it."""
        from attnlab.evaluation.precision import Halved, halved_if_faster
        from attnlab.evaluation.predictors import Network, halved

        if self.precision == "bfloat16" and isinstance(subject.predictor, Network):
            return Halved(replace(subject, predictor=halved(subject.predictor)), math.inf)
        return halved_if_faster(subject, pieces, tokens, policy) if self.precision == "auto" else None

    def _device(self) -> str:
        import torch

        if self.device == "cuda" and not torch.cuda.is_available():
            raise ArgumentError("device", "expected cpu, since torch sees no GPU here; got cuda")
        return "cuda" if self.device != "cpu" and torch.cuda.is_available() else "cpu"

    def _policies(self, subject: Subject) -> list[Policy]:
        """Disjoint windows and strided ones; one of both where they are the same."""
        from attnlab.evaluation.costs import Policy

        context = subject.predictor.context if self.context is None else self.context
        stride = max(1, context // 2) if self.stride is None else self.stride
        if stride > context:
            raise ArgumentError("stride", f"expected from 1 to the context of {context}, got {stride}")
        both = [Policy(context, context), Policy(context, stride)]
        return both[:1] if not subject.predictor.windowed or stride == context else both

    def _preprocessed(
        self, subjects: list[Subject], texts: dict[str, Stretch]
    ) -> list[tuple[str, str, dict[str, Preprocessed]]]:
        """For each model and text, what each step buys, and all of them together."""
        from attnlab.evaluation.preprocessed import measure_preprocessed

        steps = self._steps()
        trials = {"as it is": [], **{step: [step] for step in steps}}
        if len(steps) > 1:
            trials["all of them"] = steps
        found = []
        for name, text in texts.items():
            whole = whole_text(name, text)
            for subject in subjects:
                policy = self._policies(subject)[0]
                rows = {trial: measure_preprocessed(subject, whole, some, policy) for trial, some in trials.items()}
                found.append((subject.name, name, rows))
        return found

    def _explained(self, subjects: list[Subject], texts: dict[str, Stretch]) -> tuple[dict[str, Any], list[Any]]:
        """Why two measurements differ, or what costs most in one."""
        from attnlab.cli.gap import dearest_lines, gap_lines
        from attnlab.cli.surprise import write_parts, write_surprise
        from attnlab.evaluation.costs import Policy, costs
        from attnlab.evaluation.explanation.dearest import dearest
        from attnlab.evaluation.explanation.two_models import explain_models
        from attnlab.evaluation.explanation.two_texts import explain_texts

        whole = [whole_text(name, text) for name, text in texts.items()]
        policy, names = Policy(self.context), short_names(list(texts))
        gap = None
        if len(subjects) == 2:
            gap = explain_models(subjects[0], subjects[1], whole[0], policy)
        elif len(whole) == 2:
            gap = explain_texts(subjects[0], (whole[0], whole[1]), (names[0], names[1]), policy)
        found = [costs(subject, text, policy) for text in whole for subject in subjects]
        if gap is not None:
            told, lines = gap.as_json(), ["", *gap_lines(gap)]
        else:
            best = dearest(found[0])
            told, lines = best.as_json(), dearest_lines(best)
        if self.html is not None:
            write_surprise(self.html, [each.name for each in subjects], names, found, gap)
            lines += ["", f"the text shaded by its surprise is in {self.html}"]
        if self.plot is not None and gap is not None:
            write_parts(self.plot, gap)
            lines.append(f"the chart of the parts is in {self.plot}")
        return told, lines


def compared(found: list[Measured]) -> list[Compared]:
    """On each text the best model beside each of the others."""
    from attnlab.evaluation.measures import difference

    pairs = []
    for text in dict.fromkeys(each.text for each in found):
        ranked = sorted(
            (each for each in found if each.text == text), key=lambda each: each.measures[0].bits_per_byte.value
        )
        for other in ranked[1:]:
            saved = difference(other.measures[0], ranked[0].measures[0])
            pairs.append(Compared(text, ranked[0].model, other.model, saved))
    return pairs


def open_text(name: str) -> Stretch:
    """A file, or the part of a named text that is held out for reports."""
    from attnlab.data.stretches import Stretch
    from attnlab.data.text import TEXTS, load_text

    if name in TEXTS:
        parts = load_text(name).parts
        return parts.get("test") or parts["validation"]
    found = Stretch.of([Path(name)])
    if not found.size:
        raise FileError(Path(name), "the file is empty")
    return found


def short_names(paths: list[str]) -> list[str]:
    """The files' own names, where these can be told apart.

    >>> short_names(["texts/a.txt", "b.txt"]), short_names(["one/a.txt", "two/a.txt"])
    (['a.txt', 'b.txt'], ['one/a.txt', 'two/a.txt'])
    """
    names = [Path(each).name for each in paths]
    return names if len(set(names)) == len(paths) else paths


LARGEST = 1 << 24
"""Bytes of a text that can be explained, or preprocessed."""


def whole_text(name: str, text: Stretch) -> str:
    """A text at once, which preprocessing and explanations need."""
    if text.size > LARGEST:
        raise FileError(
            Path(name), f"expected at most {LARGEST:,} bytes for this, got {text.size:,}; take a part of it"
        )
    return text.read()


@contextmanager
def advancing(description: str, total: int) -> Iterator[Advance]:
    """A progress bar, and what tells it how many tokens are done."""
    with progress_bar() as progress:
        yield partial(progress.advance, progress.add_task(description, total=total))
