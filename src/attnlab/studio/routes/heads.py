"""Jobs on the heads of a model: score all of them, switch some off and measure a text, or hold theory against one."""

from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import Field
from starlette.responses import Response

from attnlab.errors import ArgumentError
from attnlab.studio.jobs import ToldJob
from attnlab.studio.lab import Lab, TheLab, shown_path
from attnlab.studio.models import TheModels
from attnlab.studio.routes.inside import ModelName
from attnlab.studio.warming import warm_heads

router = APIRouter(tags=["inside a model"], prefix="/inside", dependencies=[Depends(warm_heads)])
drawing = APIRouter(tags=["inside a model"])

MOST_HEADS = 64
"""The most heads that one job switches off."""


@dataclass(frozen=True)
class ToScore:
    """A model whose heads are scored on a text: its name or file; empty: the held-out part of its own text."""

    model: ModelName
    text: Annotated[str, Field(max_length=4000)] = ""


@dataclass(frozen=True)
class ToSwitchOff(ToScore):
    """Heads to switch off, written LAYER.HEAD."""

    heads: Annotated[list[str], Field(max_length=MOST_HEADS)] = field(default_factory=list)


@dataclass(frozen=True)
class ToHold(ToScore):
    """A head to hold the theory of attention against, written LAYER.HEAD."""

    head: Annotated[str, Field(max_length=20)] = "0.0"


@dataclass(frozen=True)
class OneModel:
    """A model."""

    model: ModelName


@dataclass(frozen=True)
class ModelShape:
    """How many layers a model has, and how many heads in each."""

    layers: int
    heads: int


@router.post("/shape")
def shape(models: TheModels, asked: OneModel) -> ModelShape:
    """How many heads a model has. Raises for models without attention."""
    from attnlab.benches.heads.opening import open_model_heads

    with models.using(asked.model) as (model,):
        inside = open_model_heads(model).inside
    return ModelShape(inside.layers, inside.heads)


@router.post("/scores")
def scores(lab: TheLab, models: TheModels, asked: ToScore) -> ToldJob:
    """Start a job that scores every head of a model."""
    from attnlab.benches.heads.opening import open_model_heads

    text = _text(lab, asked.text)
    with models.using(asked.model) as (model,):
        open_model_heads(model)
    return lab.jobs.start("head-scores", {"model": model.name, "text": text}).told()


@router.post("/off")
def off(lab: TheLab, models: TheModels, asked: ToSwitchOff) -> ToldJob:
    """Start a job that switches heads off, each alone and all of them one after the other."""
    from attnlab.benches.heads.opening import open_model_heads
    from attnlab.models.lens import Head, check_head

    if not asked.heads:
        raise ArgumentError("heads", "expected at least one head, such as 0.1")
    text, chosen = _text(lab, asked.text), [Head.read(each) for each in asked.heads]
    with models.using(asked.model) as (model,):
        inside = open_model_heads(model).inside
    for each in chosen:
        check_head(each, inside)
    names = [*dict.fromkeys(map(str, chosen))]
    return lab.jobs.start("heads-off", {"model": model.name, "text": text, "heads": names}).told()


@router.post("/theory")
def theory(lab: TheLab, models: TheModels, asked: ToHold) -> ToldJob:
    """Start a job that holds the theory of attention against a head."""
    from attnlab.benches.heads.opening import open_model_heads
    from attnlab.models.lens import Head, check_head

    text, head = _text(lab, asked.text), Head.read(asked.head)
    with models.using(asked.model) as (model,):
        check_head(head, open_model_heads(model).inside)
    return lab.jobs.start("head-theory", {"model": model.name, "text": text, "head": str(head)}).told()


@drawing.get("/heads_map.js", response_class=Response)
def heads_map() -> Response:
    """The code that draws the maps of heads, as a module: the same that the page of `heads look` carries."""
    return Response(_drawing(), media_type="text/javascript")


@cache
def _drawing() -> str:
    template = files("attnlab.report.page") / "templates" / "look" / "heads_map.js"
    return f"{template.read_text()}\nexport {{ showHeads }};\n"


def _text(lab: Lab, given: str) -> str:
    """The name of a text, or the path of a file that the studio may read; empty for a model's own text."""
    from attnlab.data.texts.loading import TEXTS

    if not given.strip():
        return ""
    return given if given in TEXTS else shown_path(lab.places.text(given), lab.places.root)
