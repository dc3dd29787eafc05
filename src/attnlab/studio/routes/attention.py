"""Attention: keys in the plane, what queries make of them under noise, and whether a mix can be had."""

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from fastapi import APIRouter, Depends
from starlette.responses import JSONResponse, Response

from attnlab.errors import ArgumentError
from attnlab.studio.files import Ending, ShownRecord, record_file, shown_record
from attnlab.studio.jobs import ToldJob
from attnlab.studio.lab import TheLab
from attnlab.studio.scenes import CheckedScene, SceneRequest, given
from attnlab.studio.schemas import ContentOf
from attnlab.studio.warming import warm_attention

if TYPE_CHECKING:
    from attnlab.benches.attention.design import Designed

router = APIRouter(tags=["attention"], prefix="/attention", dependencies=[Depends(warm_attention)])

AT_HAND = CapacityLimiter(2)
"""How many laws are computed at a time while hands move. More would only take turns, and all would come late."""
TOLERANCE = 0.01
"""How far a weight of a designed query may be from the wanted weight."""


@dataclass(frozen=True)
class ShownWeights:
    """The record of `weigh`, and how to make it again; while the hand moves, without the latter."""

    record: Annotated[dict[str, Any], ContentOf("benches.attention.weigh:Weighed")]
    command: str
    python: str


@dataclass(frozen=True)
class ShownDesign(ShownRecord):
    """The record of `design`."""

    record: Annotated[dict[str, Any], ContentOf("benches.attention.design:Designed")]


@dataclass(frozen=True)
class Curve:
    """The error against the scale C."""

    scale: list[float]
    error: list[float]


@dataclass(frozen=True)
class WeightsToSave(SceneRequest):
    """The state of the page, and the ending of the file to save the record of `weigh` in."""

    ending: Ending = ".html"


@dataclass(frozen=True)
class ToSearch(SceneRequest):
    """The state of the page, and what to search for: the best queries, or the best scale of the given ones."""

    scale_only: bool = False


@router.post("/weigh", response_model=ShownWeights)
async def weigh(asked: SceneRequest) -> Response:
    """The weights of the keys under noise, the error, and the law of one weight."""
    return await run_sync(_weighed, asked, limiter=AT_HAND if asked.hasty else None)


def _weighed(asked: SceneRequest) -> Response:
    """The answer as it is sent: to check the lab's own record again, number by number, would take longer than to write
    it."""
    from attnlab.training.threads import one_thread

    with one_thread():  # a law has so few numbers that a second thread would mostly wait
        state = given(asked)
        found = state.weighed()
        again = ("", "") if asked.hasty else (found.command, found.python)
        return JSONResponse(vars(ShownWeights(found.to_dict(), *again)))


@router.post("/curve")
def curve(asked: SceneRequest) -> Curve:
    """The error against the scale C, with few draws where the noise has many directions."""
    found = given(replace(asked, hasty=True)).weighed().curve
    return Curve(list(found.scale), list(found.error))


@router.post("/design")
def design(asked: SceneRequest) -> ShownDesign:
    """The query of one head that gives the wanted weights without noise, or the proof that there is none."""
    return ShownDesign(**shown_record(_designed(given(asked))))


@router.post("/design/file", response_class=Response)
def design_file(asked: WeightsToSave) -> Response:
    """The record of `design` as a file."""
    return record_file(_designed(given(asked)), asked.ending)


def _designed(state: CheckedScene) -> "Designed":
    from attnlab.benches.attention.design import design

    return design(state.keys, mix=state.mix, tolerance=TOLERANCE)


@router.post("/file", response_class=Response)
def file(asked: WeightsToSave) -> Response:
    """The record of `weigh` as a file."""
    return record_file(given(asked).weighed(), asked.ending)


@router.post("/best")
def best(lab: TheLab, asked: ToSearch) -> ToldJob:
    """Start a job that searches for the best queries of the shown keys, or for the best scale."""
    given(asked)
    return lab.jobs.start("best-queries", asdict(asked)).told()


@router.post("/remedies")
def remedies(lab: TheLab, asked: SceneRequest) -> ToldJob:
    """Start a job that measures what helps: as many orthonormal keys as are shown, with the same noise."""
    state = given(asked)
    if len(state.keys) < 2:
        raise ArgumentError("keys", "expected at least 2 keys")
    noisy = set(state.scene.settings.noisy) or {0, 1}
    named = ",".join(name for key, name in ((0, "a"), (1, "b")) if key in noisy)
    options = {"keys": len(state.keys), "isotropic": asked.isotropic, "noisy": named or "a"}
    options["norm_variance"] = asked.norm_variance if named else 0.0
    return lab.jobs.start("remedies", options).told()
