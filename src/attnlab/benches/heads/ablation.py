"""What each head of a model is worth: the cost of a text when it is switched off, and how many heads can go."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float

from attnlab.benches.heads.opening import HeadsModel, heads_text, open_model_heads
from attnlab.benches.perplexity.pairs import named_models, parameters_of
from attnlab.benches.perplexity.texts import AnyText, OpenedText, open_text
from attnlab.calls import Call
from attnlab.contents import Content
from attnlab.errors import ArgumentError
from attnlab.evaluation.heads.ablation import effects, mean_outputs, plain_costs
from attnlab.evaluation.heads.agreement import rank_correlation
from attnlab.evaluation.heads.importance import first_order
from attnlab.evaluation.heads.passages import Passage, read_passage
from attnlab.evaluation.heads.settings import AblationSettings
from attnlab.evaluation.heads.variants import Changes
from attnlab.evaluation.scoring.intervals import Estimate
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.models.inside import Inside
from attnlab.models.lens import Head, check_head, every_head
from attnlab.parallel import ONE_CORE, ONE_WORKER, Task, Workers, spread
from attnlab.progress import SILENT, Observer
from attnlab.records import Called, record
from attnlab.settings import Device, changes
from attnlab.training.threads import threads_of, using_threads

MOST_PAIRS = 2000
DEARER = 0.01
"""A curve tells how many heads can go before the text costs this share more."""
Effects = Float[np.ndarray, "changes blocks"]
OWN = ("model", "text", "reference", "tokens", "raw_bytes", "context", "blocks", "bits_per_byte")
"""The fields of the record that its JSON has as they are."""


@dataclass(frozen=True)
class HeadWorth:
    """How many bits per byte more the text costs without a head; below 0: the text costs less."""

    head: str
    zero: Estimate
    """Its output is 0."""
    mean: Estimate
    """Its output is its mean over the reference text."""
    first_order: Estimate
    """−∂L/∂ξ, the estimate of `zero` from one backward pass."""
    importance: Estimate
    """E|∂L/∂ξ| over the windows of the text (Michel et al. 2019)."""
    frozen: Estimate | None = None
    """Its output is 0, and all heads keep the attention weights of the plain model."""


@dataclass(frozen=True)
class PairWorth:
    """Two heads whose outputs are 0 together, in bits per byte."""

    heads: tuple[str, str]
    both: Estimate
    interaction: Estimate
    """`both` minus the effects of each alone. Above 0: each does what the other could have done."""


@dataclass(frozen=True)
class AblationCurve:
    """Heads switched off one after the other, the least important first."""

    by: str
    """zero or mean."""
    order: tuple[str, ...]
    bits_per_byte: tuple[float, ...]
    """The cost of the text without the first 0, 1, 2, … heads of the order."""
    all_off: Estimate
    """How many bits per byte more the text costs without all heads of the order."""

    @property
    def can_go(self) -> int:
        """How many heads can go before the text costs 1 % more."""
        limit = (1 + DEARER) * self.bits_per_byte[0]
        return next((n for n, cost in enumerate(self.bits_per_byte) if cost > limit), len(self.bits_per_byte)) - 1


@record
class Ablation(Called):
    """What each head of a model is worth on a text."""

    shown_by: ClassVar[str] = "heads.ablation.ablation"

    model: str
    text: str
    reference: str
    """The name of the text whose mean outputs take the place of heads."""
    tokens: int
    raw_bytes: int
    context: int
    blocks: int
    """The number of blocks of the text, whose differences give the intervals."""
    bits_per_byte: float
    """The cost of the text for the plain model, as `perplexity` measures it in disjoint windows."""
    heads: tuple[HeadWorth, ...]
    pairs: tuple[PairWorth, ...]
    curves: tuple[AblationCurve, ...]
    agreement: dict[str, Estimate | None]
    """Spearman's rank correlation over the heads, by the two columns that are compared."""
    settings: AblationSettings
    own_reference: bool = True

    def __getitem__(self, head: str) -> HeadWorth:
        """What a head is worth: found["2.1"]."""
        named = {each.head: each for each in self.heads}
        if head not in named:
            raise ArgumentError.unknown("head", head, named)
        return named[head]

    @Content(
        *OWN,
        "agreement",
        heads=list[HeadWorth],
        pairs=list[PairWorth],
        curves=[Content(AblationCurve, can_go=int)],
    )
    def to_dict(self) -> dict[str, Any]:
        """The whole content."""
        return {name: getattr(self, name) for name in OWN} | {
            "heads": [asdict(each) for each in self.heads],
            "pairs": [asdict(each) | {"heads": list(each.heads)} for each in self.pairs],
            "curves": [
                asdict(each) | {"order": [*each.order], "bits_per_byte": [*each.bits_per_byte], "can_go": each.can_go}
                for each in self.curves
            ],
            "agreement": {name: each and asdict(each) for name, each in self.agreement.items()},
        }


@dataclass(frozen=True)
class _Column:
    """Changes to measure, and whether all heads keep the attention weights of the plain model."""

    what: str
    changes: Changes
    frozen: bool = False


@dataclass(frozen=True)
class _Switching:
    """A model, a passage, the heads to switch off, and who does the work."""

    model: HeadsModel
    how: AblationSettings
    subject: Subject
    inside: Inside
    passage: Passage
    heads: Sequence[Head]
    observer: Observer
    workers: Workers

    def effects(self, columns: Sequence[_Column]) -> list[Effects]:
        """How many nats more each block costs under each change, for each column. On one thread if the model is small,
        whatever the number of processes."""
        size = parameters_of(self.subject)
        threads = threads_of(size, self.inside.device.type)
        cost = 2.0 * size * len(self.passage.encoding) / ONE_CORE
        tasks = [
            Task(
                f"{column.what}: {len(column.changes):,} changes",
                (self.model, self.how.device, self.passage, column, threads),
                cost * len(column.changes),
                threads,
            )
            for column in columns
        ]
        alone = self.workers.processes(tasks) == 1
        if alone or not named_models([self.model], self.workers):
            with using_threads(threads):
                return [_effects(self.subject, self.inside, self.passage, column, self.observer) for column in columns]
        with self.observer.task("columns", len(tasks)) as bar:
            found: dict[int, Effects] = {}
            for number, each in spread(effects_apart, tasks, self.workers, self.observer, files=True):
                found[number] = each
                bar.advance()
        return [found[number] for number in range(len(tasks))]

    def each_off(self, mean: Any = None) -> Changes:
        """Each head alone switched off."""
        return Changes.off([[head] for head in self.heads], self.inside, mean)

    def estimates(self, nats: Effects) -> list[Estimate]:
        """Effects in bits per byte."""
        return [self.passage.bits_per_byte(each) for each in nats]


def effects_apart(
    model: HeadsModel, device: Device, passage: Passage, column: _Column, threads: int | None, observer: Observer
) -> Effects:
    """The effects of a column, in another process, which opens the model."""
    with using_threads(threads):
        return _effects(*open_model_heads(model, device), passage, column, observer)


def _effects(subject: Subject, inside: Inside, passage: Passage, column: _Column, observer: Observer) -> Effects:
    with observer.task(f"{column.what}: {len(column.changes):,} changes", len(passage.encoding)) as task:
        given = {"frozen": column.frozen, "advance": lambda done: task.advance(done)}
        return effects(subject, inside, passage, column.changes, **given)


def ablate(
    model: HeadsModel,
    text: AnyText | None = None,
    reference: AnyText | None = None,
    settings: AblationSettings | None = None,
    observer: Observer = SILENT,
    workers: Workers = ONE_WORKER,
) -> Ablation:
    """Switch off every head of a model in turn. The text is, by default, the held-out part of the text that the model
    was trained on; the reference text, whose mean outputs take the place of heads, is by default the same text."""
    how = settings or AblationSettings()
    subject, inside = open_model_heads(model, how.device)
    heads = _chosen(how, inside)
    read = heads_text(subject, text)
    other = read if reference is None else open_text(reference)
    passage = _passage(subject, read, how)
    switching = _Switching(model, how, subject, inside, passage, heads, observer, workers)
    with observer.task("plain model, mean outputs and slopes"):
        plain = plain_costs(subject, passage)
        mean = mean_outputs(subject, inside, passage if reference is None else _passage(subject, other, how))
        slopes = first_order(subject, inside, passage)
    off = switching.each_off()
    first = [_Column("zero", off), _Column("mean", switching.each_off(mean))]
    zero, means, *others = switching.effects(first + ([_Column("frozen", off, frozen=True)] if how.frozen else []))
    columns = {
        "zero": zero,
        "mean": means,
        "first_order": np.stack([slopes.signed[:, *head] for head in heads]),
        "importance": np.stack([slopes.importance[:, *head] for head in heads]),
    } | dict(zip(("frozen",), others, strict=False))
    named = {name: switching.estimates(each) for name, each in columns.items()}
    rows = tuple(
        HeadWorth(str(head), **{name: each[place] for name, each in named.items()}) for place, head in enumerate(heads)
    )
    both = (("zero", zero, None), ("mean", means, mean)) if how.curve else ()
    orders = [_order(switching, each) for _, each, _ in both]
    after = [_one_by_one(switching, by, order, of) for (by, _, of), order in zip(both, orders, strict=True)]
    found = switching.effects(after + ([_pairs_off(switching)] if how.pairs else []))
    curves = tuple(
        _curve(switching, by, plain, order, each) for (by, _, _), order, each in zip(both, orders, found, strict=False)
    )
    options = {} if text is None else {"text": read.argument}
    options |= {} if reference is None else {"reference": other.argument}
    return Ablation(
        subject.name,
        read.name,
        other.name,
        len(passage.encoding),
        int(passage.raw_bytes.sum()),
        passage.policy.context or 0,
        passage.blocks,
        passage.bits_per_byte(plain).value,
        rows,
        tuple(_pairs(switching, zero, found[-1])) if how.pairs else (),
        curves,
        _agreement(columns),
        how,
        reference is None,
        made_by=Call("heads ablate", (subject.name,), options | changes(how, AblationSettings())),
    )


def _chosen(how: AblationSettings, inside: Inside) -> list[Head]:
    """The heads to switch off. Raises for heads that are not there, and for too many pairs."""
    heads = list(dict.fromkeys(Head.read(each, "heads") for each in how.heads)) or every_head(inside)
    for head in heads:
        check_head(head, inside, "heads")
    pairs = len(heads) * (len(heads) - 1) // 2
    if how.pairs and len(heads) < 2:
        raise ArgumentError("heads", "expected at least two heads for --pairs, got 1")
    if how.pairs and pairs > MOST_PAIRS:
        message = f"{len(heads)} heads have {pairs:,} pairs; expected at most {MOST_PAIRS:,}: name fewer heads"
        raise ArgumentError("heads", f"{message}, such as --heads 0.1,2.3")
    return heads


def _passage(subject: Subject, text: OpenedText, how: AblationSettings) -> Passage:
    with text.read_by(subject):
        return read_passage(subject, text.pieces(subject.tokenizer), how.tokens or None)


def _pairs_off(switching: _Switching) -> _Column:
    """Every two heads switched off together."""
    return _Column("pairs", Changes.off([*map(list, combinations(switching.heads, 2))], switching.inside))


def _pairs(switching: _Switching, alone: Effects, both: Float[np.ndarray, "pairs blocks"]) -> list[PairWorth]:
    """Every two heads together, the strongest interaction first."""
    places = combinations(range(len(switching.heads)), 2)
    apart = both - np.stack([alone[one] + alone[other] for one, other in places])
    rows = zip(combinations(switching.heads, 2), switching.estimates(both), switching.estimates(apart), strict=True)
    found = [PairWorth((str(one), str(other)), together, beyond) for (one, other), together, beyond in rows]
    return sorted(found, key=lambda each: -abs(each.interaction.value))


def _order(switching: _Switching, alone: Effects) -> list[Head]:
    """The heads by their effects alone, the least important first."""
    return [switching.heads[place] for place in np.argsort(alone.sum(1), kind="stable")]


def _one_by_one(switching: _Switching, by: str, order: list[Head], mean: Any) -> _Column:
    """Heads switched off one after the other."""
    groups = [order[:count] for count in range(1, len(order) + 1)]
    return _Column(f"one after the other, {by}", Changes.off(groups, switching.inside, mean))


def _curve(switching: _Switching, by: str, plain: np.ndarray, order: list[Head], found: Effects) -> AblationCurve:
    """The cost of the text when the heads are switched off one after the other."""
    costs = (switching.passage.bits_per_byte(each).value for each in (plain, *(plain + found)))
    return AblationCurve(by, tuple(map(str, order)), tuple(costs), switching.passage.bits_per_byte(found[-1]))


def _agreement(columns: dict[str, Effects]) -> dict[str, Estimate | None]:
    """How well the columns rank the heads alike. The importance has no sign, so it is held against absolute effects."""
    total = {name: each.sum(1) for name, each in columns.items()}
    return {
        "zero and mean": rank_correlation(total["zero"], total["mean"]),
        "zero and first order": rank_correlation(total["zero"], total["first_order"]),
        "|zero| and importance": rank_correlation(np.abs(total["zero"]), total["importance"]),
    }
