"""Let a model write: the tokens as they are drawn, as a stream of events."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends
from pydantic import Field

from attnlab.errors import ArgumentError
from attnlab.studio.lab import Lab, TheLab
from attnlab.studio.models import Models, TheModels
from attnlab.studio.news import Events
from attnlab.studio.routes.inside import ModelName
from attnlab.studio.warming import warm_heads

if TYPE_CHECKING:
    from attnlab.benches.language.live_sampling import Drawn

router = APIRouter(tags=["inside a model"], prefix="/inside", dependencies=[Depends(warm_heads)])

DRAWING = ("temperature", "top_k", "top_p", "seed")
"""The settings of sampling."""
LONGEST = 1000
"""The most tokens that a model writes at once."""


@dataclass(frozen=True)
class ToWrite:
    """A prompt, and how to go on from it."""

    model: ModelName
    prompt: Annotated[str, Field(max_length=200_000)] = ""
    length: int = 100
    temperature: float = 0.8
    top_k: int = 0
    top_p: float = 1.0
    seed: int = 0


@router.post("/write", response_class=Events)
def write(lab: TheLab, models: TheModels, asked: ToWrite) -> Events:
    """The text that a model writes after a prompt: first how to make it again, then piece by piece. Closing the
    connection stops it."""
    from attnlab.benches.language.models import sample_call
    from attnlab.evaluation.settings import Sampling
    from attnlab.settings import read

    if not 1 <= asked.length <= LONGEST:
        raise ArgumentError("length", f"expected 1 to {LONGEST:,} tokens, got {asked.length}")
    how = {name: getattr(asked, name) for name in DRAWING}
    sampling = read(Sampling, how)
    with models.using(asked.model) as (model,):
        drawn = model.draws(asked.prompt, asked.length, **how)
        call = sample_call(model.name, asked.prompt, asked.length, sampling, probabilities=True)
    return Events(_events(lab, models, {"command": call.command, "python": call.python}, drawn))


def _events(lab: Lab, models: Models, first: dict[str, str], drawn: "Iterator[Drawn]") -> Iterator[str]:
    yield _event(first)
    while not lab.ending():
        with models.alone():  # for one token at a time: others need not wait for the end of the text
            each = next(drawn, None)
        if each is None:
            break
        yield _event(asdict(each))
    yield _event({"done": True})


def _event(content: dict[str, Any]) -> str:
    return f"data: {json.dumps(content, allow_nan=False)}\n\n"
