"""Inside a model: what each token of a text costs, the same for two models, and what heads attend to."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends
from pydantic import Field
from starlette.responses import Response

from attnlab.contents import Content
from attnlab.errors import ArgumentError
from attnlab.studio.files import Ending, record_file
from attnlab.studio.lab import TheLab, shown_path
from attnlab.studio.models import TheModels
from attnlab.studio.schemas import ContentOf
from attnlab.studio.trained import run_places
from attnlab.studio.warming import warm_heads

if TYPE_CHECKING:
    from attnlab.benches.language import LanguageModel, TextScore

router = APIRouter(tags=["inside a model"], prefix="/inside", dependencies=[Depends(warm_heads)])

MOST_TOKENS = 1024
"""The most tokens of a text; a model that sees more at once may have as many as it sees."""

ModelName = Annotated[str, Field(max_length=4000)]
SomeText = Annotated[str, Field(max_length=200_000)]
TextScoreJson = Annotated[dict[str, Any], ContentOf("benches.language.models:TextScore")]
CELL = Content(text=str, bits=list[float], difference=float, tokens=list[int], shade=int)


@dataclass(frozen=True)
class ModelChoice:
    """A model that can be opened, and a word about it."""

    name: str
    about: str


@dataclass(frozen=True)
class ModelAndText:
    """A model and a text."""

    model: ModelName
    text: SomeText


@dataclass(frozen=True)
class ModelsAndText:
    """Two models and a text."""

    models: Annotated[list[ModelName], Field(min_length=2, max_length=2)]
    text: SomeText


@dataclass(frozen=True)
class HeadAndText(ModelAndText):
    """A head of a model, and a text."""

    head: Annotated[str, Field(max_length=20)]


@dataclass(frozen=True)
class FileToSave(ModelAndText):
    """A file to make: of the costs of a text, or of what a head attends to if one is named."""

    ending: Ending
    head: Annotated[str, Field(max_length=20)] = ""


@dataclass(frozen=True)
class Scored:
    """The record of a scored text, its shades, and how to make it again."""

    record: TextScoreJson
    shades: list[int]
    legend: list[tuple[str, str]]
    context: int
    command: str
    python: str


@dataclass(frozen=True)
class ComparedModels:
    """A text in cells with the cost of each for two models."""

    records: list[TextScoreJson]
    cells: list[Annotated[dict[str, Any], ContentOf(CELL, "Cell")]]
    """The text of each; the bits that it costs each model, all included; their difference, and its shade."""
    legend: list[tuple[str, str]]
    command: str
    python: str


@dataclass(frozen=True)
class LookedAt:
    """The heads of a model on a text: the tokens, and a small map of each head in base64."""

    tokens: list[str]
    heads: list[str]
    layers: int
    places: int
    side: int
    small: str
    query: int
    exact: bool
    notes: list[str]


@dataclass(frozen=True)
class LookedHead:
    """The logits of a head and the denominators of its softmax, in base64, and how to make them again."""

    weights: str
    command: str
    python: str


@router.get("/models")
def choices(lab: TheLab) -> list[ModelChoice]:
    """The language models in the folder of the studio, and those that were opened; first those with a text of their
    own."""
    from attnlab.benches import language
    from attnlab.runs.folder import CLASSIFIER

    found = {f"{each.path}": ModelChoice(each.path, each.about) for each in lab.opened if each.kind == "model"}
    for folder in run_places(lab):
        for row in sorted(language.runs(folder).rows, key=lambda row: row.bits_per_byte is None):
            if row.model and row.task != CLASSIFIER:
                name = shown_path(Path(row.run), lab.places.root)
                found.setdefault(name, ModelChoice(name, ", ".join(filter(None, (row.model, row.text)))))
    return list(found.values())


@router.post("/score")
def score(models: TheModels, asked: ModelAndText) -> Scored:
    """What each token of a text costs a model, and the five likeliest tokens in its place."""
    from attnlab.report.perplexity.shades import shade, surprise_legend

    with models.using(asked.model) as (model,):
        found = _score(model, asked.text)
        record = _told(found)
    shades = [shade(each["bits"]) for each in record["tokens"]]
    return Scored(record, shades, surprise_legend(), model.context, found.command, found.python)


@router.post("/compare")
def compare(models: TheModels, asked: ModelsAndText) -> ComparedModels:
    """One text for two models, and where they differ."""
    from attnlab.benches.perplexity import GivenText
    from attnlab.benches.perplexity.texts import open_text
    from attnlab.calls import Call
    from attnlab.report.perplexity.shades import difference_legend, shade_between

    with models.using(*asked.models) as (one, other):
        scores = [_score(one, asked.text), _score(other, asked.text)]
        found, records = scores[0].beside(scores[1]), [_told(each) for each in scores]
    totals = [[bits + more for bits, more in zip(each.bits, each.charged, strict=True)] for each in found]
    cells = [
        {
            "text": _whole(each.text),
            "bits": bits,
            "difference": bits[0] - bits[1],
            "tokens": list(each.tokens),
            "shade": shade_between(bits[0] - bits[1]),
        }
        for each, bits in zip(found, totals, strict=True)
    ]
    text = open_text(GivenText(asked.text)).argument
    call = Call("perplexity", (one.name, other.name), {"text": text, "explain": True})
    return ComparedModels(records, cells, difference_legend(), call.command, call.python)


@router.post("/look")
def look(models: TheModels, asked: ModelAndText) -> LookedAt:
    """The heads of a model on a text: a small map of each."""
    from attnlab.report.heads.look.embedded import small_maps
    from attnlab.report.writing.lines import visible

    with models.using(asked.model) as (model,):
        found = models.look(model, _checked(asked.text))
        small, side = small_maps(found)
    notes = [f"Position 0 is the model’s start token, {visible(found.tokens[0])}."] if found.started else []
    notes += [f"The model does not know {len(found.unknown)} of the tokens."] if found.unknown else []
    tokens = [_whole(visible(each)) for each in found.tokens]
    return LookedAt(tokens, list(found.heads), *found.shape, side, small, found.query, True, notes)


@router.post("/head")
def head(models: TheModels, asked: HeadAndText) -> LookedHead:
    """What one head attends to."""
    from attnlab.report.heads.look.embedded import head_weights

    with models.using(asked.model) as (model,):
        found = models.look(model, _checked(asked.text))
        pattern = found.pattern(asked.head)
        one = replace(found, patterns={asked.head: pattern})
    return LookedHead(head_weights(pattern), one.command, one.python)


@router.post("/save", response_class=Response)
def save(models: TheModels, asked: FileToSave) -> Response:
    """A file of a record: .html, .csv, .svg or .png."""
    from attnlab.benches.heads import look as bench

    with models.using(asked.model) as (model,):
        text = _checked(asked.text)
        return record_file(bench.look(model, text, asked.head) if asked.head else _score(model, text), asked.ending)


def _checked(text: str) -> str:
    """The text; raises for half a surrogate pair, which is no text."""
    from attnlab.text.encoding import utf8

    utf8(text)
    return text


def _score(model: "LanguageModel", text: str) -> "TextScore":
    """The score of a text that is not too long."""
    if not _checked(text):
        raise ArgumentError("text", "the text is empty")
    count, most = len(model.tokenizer.encode(text)), max(MOST_TOKENS, model.context)
    if count > most:
        raise ArgumentError("text", f"the text has {count:,} tokens; expected at most {most:,}: give a shorter text")
    return model.score(text)


def _told(found: "TextScore") -> dict[str, Any]:
    """The content of a score. A token may be a part of a character, which JSON cannot carry."""
    record = found.to_dict()
    for token in record["tokens"]:
        token["text"] = _whole(token["text"])
        token["likeliest"] = [(_whole(text), share) for text, share in token["likeliest"]]
    return record


def _whole(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
