"""What each head of a model does: scores with their intervals, chance beside them, and names."""

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

from attnlab.benches.heads.opening import (
    HeadsModel,
    first_tokens,
    heads_text,
    known_tokens,
    open_model_heads,
    text_option,
)
from attnlab.benches.perplexity.texts import AnyText
from attnlab.calls import Call
from attnlab.contents import Content
from attnlab.evaluation.heads.measures import MARGIN, MEASURES, HeadMeasure
from attnlab.evaluation.heads.repeats import LONGEST, ROWS
from attnlab.evaluation.heads.scores import HeadScore, Scores, score_heads
from attnlab.evaluation.heads.settings import ScoreSettings
from attnlab.models.lens import Head, check_head
from attnlab.progress import SILENT, Observer
from attnlab.records import Called, record
from attnlab.settings import changes


@record
class HeadScores(Called):
    """The scores of every head of a model."""

    shown_by: ClassVar[str] = "heads.scores.presentation.head_scores"

    model: str
    text: str
    """The name of the text."""
    layers: int
    places: int
    """The number of layers, and of heads in each."""
    found: Scores
    settings: ScoreSettings
    own_text: bool = False
    """Whether the text is the held-out part of the text that the model was trained on."""

    @property
    def heads(self) -> Sequence[HeadScore]:
        """Every head with its scores, layer by layer."""
        return self.found.heads

    @property
    def measures(self) -> list[HeadMeasure]:
        """The definitions of the measures that this model has."""
        return [MEASURES[key] for key in self.found.chance]

    @property
    def tokens(self) -> int:
        """How many tokens of the text were read, with a start token before each window if the model has one."""
        return self.found.windows * self.found.length

    def __getitem__(self, head: str | tuple[int, int]) -> HeadScore:
        """The scores of a head: scores["2.1"] or scores[2, 1]."""
        wanted = Head.read(head) if isinstance(head, str) else Head(*head)
        check_head(wanted, _Shape(self.layers, self.places))
        return self.found.heads[wanted.layer * self.places + wanted.place]

    @Content(
        "model",
        "text",
        windows=Content(count=int, tokens=int),
        repeats=Content(rows=int, control_rows=int, tokens=int),
        margin=float,
        heads=[
            Content(
                head=str,
                names=list[str],
                scores={str: Content(value=float, interval=tuple[float, float] | None)},
            )
        ],
        measures={
            str: Content(
                chance=float,
                chance_spread=float,
                about=str,
                formula=str,
                range=str,
                chance_is=str,
                source=str,
                seen_on=str,
            )
        },
    )
    def to_dict(self) -> dict[str, Any]:
        """The whole content: every score with its interval, chance, and the definition of every measure."""
        found = self.found
        return {
            "model": self.model,
            "text": self.text,
            "windows": {"count": found.windows, "tokens": found.length},
            "repeats": {"rows": found.rows, "control_rows": found.rows, "tokens": found.row_length},
            "margin": MARGIN,
            "heads": [_head(each) for each in found.heads],
            "measures": {each.key: _measure(each, found) for each in self.measures},
        }


class _Shape(NamedTuple):
    layers: int
    heads: int


def score(
    model: HeadsModel, text: AnyText | None = None, settings: ScoreSettings | None = None, observer: Observer = SILENT
) -> HeadScores:
    """Score every head of a model on a text, by default the held-out part of the text that it was trained on."""
    how = settings or ScoreSettings()
    opened = open_model_heads(model, how.device)
    read = heads_text(opened.subject, text)
    ids = first_tokens(opened.subject, read, how.tokens)
    rows = 2 * ROWS * min(LONGEST, opened.inside.context)
    with observer.task(f"heads of {opened.subject.name}", len(ids) + rows) as task:
        known = known_tokens(opened, how.seed)
        found = score_heads(opened.inside, ids, known, opened.subject.start, how.seed, task.advance)
    shape = opened.inside.layers, opened.inside.heads
    call = Call("heads", (opened.subject.name,), text_option(text, read) | changes(how, ScoreSettings()))
    return HeadScores(opened.subject.name, read.name, *shape, found, how, own_text=text is None, made_by=call)


def _head(each: HeadScore) -> dict[str, Any]:
    scores = {
        key: {"value": found.value, "interval": None if found.low is None else [found.low, found.high]}
        for key, found in each.scores.items()
    }
    return {"head": str(each.head), "names": list(each.names), "scores": scores}


def _measure(each: HeadMeasure, found: Scores) -> dict[str, Any]:
    chance = found.chance[each.key]
    return {
        "chance": chance.value,
        "chance_spread": chance.spread,
        "about": each.about,
        "formula": each.formula,
        "range": each.range,
        "chance_is": each.chance,
        "source": each.source,
        "seen_on": each.seen_on,
    }
