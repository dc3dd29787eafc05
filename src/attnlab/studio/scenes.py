"""The state of the page Attention: keys in the plane, queries, noise, as they stand in its address.

Keys and queries are `x,y;x,y`, the wanted weights `0=0.5,1=0.5`: as the command line takes them.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from attnlab.errors import ArgumentError
from attnlab.settings import Word, changed

if TYPE_CHECKING:
    from attnlab.benches.attention.weigh import Scene, Weighed

MOST_KEYS = 100
MOST_HEADS = 2


@dataclass(frozen=True)
class SceneRequest:
    """What the page asks for."""

    keys: str
    queries: str
    mix: str
    scale: float = 1.0
    norm_variance: float = 0.0
    noisy: str = ""
    isotropic: float = 0.0
    sink: float = 0.0
    normalise: bool = False
    key: int = 0
    hasty: bool = False
    """Whether the hand still moves: the answer must come at once."""


@dataclass(frozen=True)
class CheckedScene:
    """The same, as benches take it."""

    keys: list[list[float]]
    queries: list[list[float]]
    mix: dict[int, float]
    scene: "Scene"

    def weighed(self) -> "Weighed":
        """The record of `attnlab weigh`."""
        from attnlab.benches.attention.weigh import weigh_scene

        return weigh_scene(self.scene)


def given(asked: SceneRequest) -> CheckedScene:
    """The checked state, with a method that answers in time."""
    from attnlab.benches.attention.settings import WeighSettings
    from attnlab.benches.attention.weigh import scene
    from attnlab.benches.attention.written import read_weights

    settings = {
        "scale": asked.scale,
        "norm_variance": asked.norm_variance,
        "noisy": Word(asked.noisy),
        "isotropic": asked.isotropic,
        "sink": asked.sink,
        "normalise_keys": asked.normalise,
        "key": asked.key,
    }
    keys, queries = _points("keys", asked.keys, MOST_KEYS), _points("queries", asked.queries, MOST_HEADS)
    mix = read_weights("mix", asked.mix)
    made = scene(keys, queries, mix, changed(WeighSettings(), settings))
    return CheckedScene(keys, queries, mix, made.in_time(asked.hasty))


def _points(argument: str, text: str, most: int) -> list[list[float]]:
    """Points in the plane."""
    from attnlab.benches.attention.written import read_rows

    points = read_rows(argument, text)
    if len(points[0]) != 2:
        raise ArgumentError(argument, f"expected points x,y, got rows of length {len(points[0])}")
    if len(points) > most:
        raise ArgumentError(argument, f"expected at most {most} points, got {len(points)}")
    return points


def asked_of(arguments: Mapping[str, Any]) -> SceneRequest:
    """The state that a job was started with."""
    return SceneRequest(**{name: arguments[name] for name in asdict(SceneRequest("", "", "")) if name in arguments})
