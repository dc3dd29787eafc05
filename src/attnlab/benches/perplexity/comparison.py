"""Compare models on texts: what each text costs, which model is better, what preprocessing gains, why they differ."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, ClassVar

from attnlab.benches.perplexity.measuring import MeasuredText, windows
from attnlab.benches.perplexity.models import AnyModel, model_names, open_subject
from attnlab.benches.perplexity.pairs import measure_all
from attnlab.benches.perplexity.texts import AnyText, OpenedText, open_texts, short_names
from attnlab.calls import Call
from attnlab.evaluation.explanation.cells import Cell, cells
from attnlab.evaluation.explanation.explaining import check_counts, explain, work
from attnlab.evaluation.explanation.gaps import Account, Gap, ModelGaps
from attnlab.evaluation.scoring.alternatives import likeliest
from attnlab.evaluation.scoring.costs import Costs
from attnlab.evaluation.scoring.intervals import Estimate
from attnlab.evaluation.scoring.measures import difference
from attnlab.evaluation.scoring.nats_to_units import bits_per_byte
from attnlab.evaluation.scoring.overlap import training_text
from attnlab.evaluation.scoring.preprocessed import Preprocessed, measure_preprocessed
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.evaluation.settings import MeasureSettings
from attnlab.parallel import ONE_WORKER, Workers
from attnlab.progress import SILENT, Observer
from attnlab.records import Called, record
from attnlab.settings import changes
from attnlab.text import Encoding
from attnlab.text.case_and_spaces.learning import USUAL
from attnlab.training.processes import Process, this_process

Expected = tuple[tuple[str, float], ...]
"""The likeliest tokens at a place of a text, with their probabilities."""
LIKELIEST = 5


@dataclass(frozen=True)
class ModelPair:
    """Two models on one text: how many bits per byte the better model saves, in disjoint windows.

    If a model was measured in bfloat16, the interval includes the possible rounding error.
    """

    text: str
    better: str
    worse: str
    saved: Estimate
    """With an interval for more text of this kind, if the text can tell."""
    rounding: float = 0.0
    """How many bits per byte bfloat16 may have added to the difference, or taken from it."""


@dataclass(frozen=True)
class PreprocessedText:
    """A model on a text after one step of preprocessing, or after all steps."""

    model: str
    text: str
    after: str
    found: Preprocessed

    def to_dict(self) -> dict[str, Any]:
        """The whole content."""
        return {"model": self.model, "text": self.text, "after": self.after, **self.found.to_dict()}


@record
class Comparison(Called):
    """Every model measured on every text: which model is better, and why."""

    shown_by: ClassVar[str] = "perplexity.comparison.comparison"

    measured: tuple[MeasuredText, ...]
    settings: MeasureSettings
    compared: tuple[ModelPair, ...] | None = None
    """For each text, the best model compared with each other model; None if a number is unsound and not forced."""
    preprocessed: tuple[PreprocessedText, ...] = ()
    explained: Account | Gap | ModelGaps | None = None
    expecting: Callable[[int], list[list[Expected]]] | None = None
    """Computes, for each explained cost, what the model expected in place of each of the first tokens."""

    @property
    def models(self) -> list[str]:
        """The names of the models."""
        return list(dict.fromkeys(each.model for each in self.measured))

    @property
    def texts(self) -> list[str]:
        """The names of the texts."""
        return list(dict.fromkeys(each.text for each in self.measured))

    @property
    def short_texts(self) -> list[str]:
        """The names of the texts, without folders if the names stay different."""
        return short_names(self.texts)

    @property
    def account(self) -> Account | None:
        """Where the cost of one model on one text comes from, if the settings ask for it."""
        return self.explained if isinstance(self.explained, Account) else None

    @property
    def gap(self) -> Gap | None:
        """Why two measurements differ, if the settings ask for it; None if there are more than two, see `gaps`."""
        return self.explained if isinstance(self.explained, Gap) else None

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """Why each two measurements differ, if the settings ask for it; neighbours in rank come first."""
        if isinstance(self.explained, ModelGaps):
            return self.explained.gaps
        return (self.gap,) if self.gap else ()

    @property
    def holds(self) -> bool:
        """Whether every number is sound."""
        return all(each.sound for each in self.measured)

    def cells(self, most: int | None = None) -> list[list[Cell]]:
        """Each explained text as cells with their costs; at most `most` cells for each text. With three or more models,
        the text is there once for each of the `gaps`."""
        if self.explained is None:
            return []
        if isinstance(self.explained, ModelGaps):
            return [cells(each.costs, most) for each in self.explained.gaps]
        costs = self.explained.costs
        groups = [[each] for each in costs] if len(self.texts) > 1 else [costs]
        return [cells(each, most) for each in groups]

    def to_dict(self) -> dict[str, Any]:
        """The whole content."""
        value: dict[str, Any] = {"measured": [each.to_dict() for each in self.measured]}
        if self.compared is not None:
            value["compared"] = [asdict(each) for each in self.compared]
        if self.preprocessed:
            value["preprocessed"] = [each.to_dict() for each in self.preprocessed]
        if self.explained is not None:
            value["explained"] = self.explained.to_dict()
        return value


def perplexity(
    models: AnyModel | Sequence[AnyModel],
    texts: AnyText | Sequence[AnyText],
    settings: MeasureSettings | None = None,
    observer: Observer = SILENT,
    workers: Workers = ONE_WORKER,
) -> Comparison:
    """Measure every model on every text, compare the models, and explain the numbers if the settings ask for it. Under
    torchrun, its processes share the windows of each text; otherwise the `workers` share models and texts."""
    how = settings or MeasureSettings()
    with this_process(how.device) as process:
        return _compare(models, texts, how, observer if process.leads else SILENT, workers, process)


def _compare(
    models: AnyModel | Sequence[AnyModel],
    texts: AnyText | Sequence[AnyText],
    how: MeasureSettings,
    observer: Observer,
    workers: Workers,
    process: Process,
) -> Comparison:
    named, opened = model_names(models), open_texts(texts)
    if how.explain:
        check_counts(len(named), len(opened))
    for each in opened if how.explain or how.preprocess else ():
        each.check_size()
    subjects = [open_subject(each, how.device) for each in named.values()]
    for subject in subjects:
        windows(subject, how)  # raise errors about the windows before the first measurement
    found = measure_all([*named.values()], subjects, opened, how, observer, workers, process)
    options = {"text": [each.argument for each in opened], **changes(how, MeasureSettings())}
    call = Call("perplexity", tuple(named), options)
    if not (how.force or all(each.sound for each in found)):
        return Comparison(found, how, made_by=call)
    preprocessed = tuple(_preprocessed(subjects, opened, how, observer)) if how.preprocess else ()
    explained = _explained(subjects, opened, found, how, observer) if how.explain else None
    return Comparison(
        found,
        how,
        tuple(_compared(found)),
        preprocessed,
        explained,
        partial(_expected, subjects, how, explained.costs) if explained else None,
        made_by=call,
    )


def _expected(
    subjects: Sequence[Subject], settings: MeasureSettings, costs: Sequence[Costs], most: int
) -> list[list[Expected]]:
    """For each cost: the likeliest tokens in place of each of the first `most` tokens."""
    found = []
    for number, each in enumerate(costs):
        subject = subjects[number] if len(subjects) > 1 else subjects[0]
        room = most + 2 * subject.predictor.context  # the windows at the end of what is read may be cut differently
        first = Encoding(each.encoding.ids[:room], each.encoding.raw_bytes[:room])
        instead = likeliest(subject, first, windows(subject, settings)[0], LIKELIEST)
        decoded = {id: subject.tokenizer.decode([id]) for id in {id for ids, _ in instead for id in ids}}
        found.append([tuple((decoded[id], p) for id, p in zip(*one, strict=True)) for one in instead[:most]])
    return found


def _compared(found: Sequence[MeasuredText]) -> list[ModelPair]:
    """For each text, the best model compared with each other model."""
    pairs = []
    finite = [each for each in found if each.measures and each.measures[0].finite]
    for text in dict.fromkeys(each.text for each in finite):
        here = (each for each in finite if each.text == text)
        best, *others = sorted(here, key=lambda each: each.measures[0].bits_per_byte.value)
        for other in others:
            saved, within = difference(other.measures[0], best.measures[0]), _rounding((other, best))
            pairs.append(ModelPair(text, best.model, other.model, _widened(saved, within), within))
    return pairs


def _rounding(found: Sequence[MeasuredText]) -> float:
    """The most bits per byte by which bfloat16 may have changed a difference."""
    first = [(each.measures[0], each.rounding) for each in found]
    return sum(bits_per_byte(rounding * measure.tokens, measure.raw_bytes) for measure, rounding in first)


def _widened(saved: Estimate, within: float) -> Estimate:
    """A difference whose interval includes the rounding error."""
    if saved.low is None or saved.high is None:
        return saved
    return Estimate(saved.value, saved.low - within, saved.high + within)


def _preprocessed(
    subjects: Sequence[Subject], texts: Sequence[OpenedText], settings: MeasureSettings, observer: Observer
) -> list[PreprocessedText]:
    """For each model and text, the gain of each step, and of all steps together."""
    steps = settings.preprocess
    trials = {"as it is": (), **{step: (step,) for step in steps}, **({"all of them": steps} if len(steps) > 1 else {})}
    pairs = [(text, subject) for text in texts for subject in subjects]
    found = []
    for text, subject in observer.track(pairs, "preprocessing"):
        raw, policy, known = text.whole(), windows(subject, settings)[0], training_text(subject) or USUAL
        with text.read_by(subject):
            for name, some in trials.items():
                measured = measure_preprocessed(subject, raw, some, policy, known)
                found.append(PreprocessedText(subject.name, text.name, name, measured))
    return found


def _explained(
    subjects: Sequence[Subject],
    texts: Sequence[OpenedText],
    found: Sequence[MeasuredText],
    settings: MeasureSettings,
    observer: Observer,
) -> Account | Gap | ModelGaps:
    """Why measurements differ, or where the cost of one comes from."""
    policies = [windows(each, settings)[0] for each in subjects]
    tokens = [each.measures[0].tokens for each in found]
    names = short_names([each.name for each in texts])
    with observer.task("explaining", work(subjects, policies, tokens)) as task:
        return explain(subjects, policies, [each.whole() for each in texts], names, task.advance)
