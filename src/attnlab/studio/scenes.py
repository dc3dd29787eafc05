"""The state of the page Attention: keys in the plane, queries, noise, as they stand in its address.

Keys and queries are `x,y;x,y`, the wanted weights `0=0.5,1=0.5`: as the command line takes them.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from attnlab.errors import ArgumentError

if TYPE_CHECKING:
    from attnlab.attention.noise.readout import Readout
    from attnlab.benches.attention.weigh import Scene, Weighed

MOST_KEYS = 100
MOST_HEADS = 2
HASTY_SAMPLES, SAMPLES = 1 << 12, 1 << 16
"""The draws while the hand moves, and when it rests, where the noise has too many directions for the exact method."""
MANY_KEYS = 50
"""With more keys, half as many draws while the hand moves, if each key has noise of its own: they take as long."""


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
    options: Mapping[str, Any]
    scene: "Scene"

    def weighed(self) -> "Weighed":
        """The record of `attnlab weigh`."""
        from attnlab.benches.attention.weigh import weigh_scene

        return weigh_scene(self.scene)


def given(asked: SceneRequest) -> CheckedScene:
    """The checked state, with a method that answers in time."""
    from attnlab.benches.attention.settings import WeighSettings
    from attnlab.benches.attention.weigh import scene
    from attnlab.settings import read

    mix = {int(key): weight for key, weight in _pairs("mix", asked.mix)}
    options = {
        "scale": asked.scale,
        "norm_variance": asked.norm_variance,
        "noisy": _key_numbers("noisy", asked.noisy),
        "isotropic": asked.isotropic,
        "sink": asked.sink,
        "normalise_keys": asked.normalise,
        "key": asked.key,
    }
    keys, queries = _rows("keys", asked.keys, MOST_KEYS), _rows("queries", asked.queries, MOST_HEADS)
    options = {name: value for name, value in options.items() if value or (name == "scale" and value != 1)}
    made = scene(keys, queries, mix, read(WeighSettings, options))
    how = _how(made.readout, asked.hasty)
    return CheckedScene(keys, queries, mix, options | how, made.by(**how))


def _how(asked: "Readout", hasty: bool) -> dict[str, Any]:
    """The method and the draws that answer in time. The exact law of a weight takes some 10 ms for one direction of
    noise, a second for two and few keys, and up to minutes for more."""
    from attnlab.attention.noise.distribution import choose_method, law_is_quick

    exact = choose_method(asked) == "exact"
    if exact and (asked.logits.directions <= 1 or (law_is_quick(asked.logits) and not hasty)):
        return {}
    if exact:
        return {"method": "quasi-monte-carlo", "samples": HASTY_SAMPLES if hasty else SAMPLES}
    return {"samples": SAMPLES if not hasty else HASTY_SAMPLES // (2 if asked.logits.columns > MANY_KEYS else 1)}


def logit_lead(found: "Weighed") -> float:
    """How far the largest logit is above the mean of the others, without noise; the mean over the heads. It is the
    `scale` of `attnlab heads theory`."""
    scene, keys = found.scene, found.scene.keys.means
    if len(keys) < 2:
        return 0.0
    if scene.settings.normalise_keys:
        keys = keys / keys.norm(dim=1, keepdim=True).clamp_min(1e-300)
    logits = found.settings.scale * scene.queries @ keys.mT
    most = logits.amax(1)
    return float((most - (logits.sum(1) - most) / (len(keys) - 1)).mean())


NUMBER = re.compile(r"-?(\d++(\.\d*+)?|\.\d++)(e[+-]?\d{1,3})?", re.ASCII)
KEY = re.compile(r"\d{1,3}", re.ASCII)


def _rows(name: str, text: str, most: int) -> list[list[float]]:
    rows = [row.split(",") for row in text.split(";")]
    wrong = next((row for row in rows if len(row) != 2 or not all(map(NUMBER.fullmatch, row))), None)
    if wrong is not None:
        raise ArgumentError(name, f"expected x,y;x,y with numbers, got {','.join(wrong)[:40]!r}")
    if len(rows) > most:
        raise ArgumentError(name, f"expected at most {most} points, got {len(rows)}")
    return [[float(number) for number in row] for row in rows]


def _key_numbers(name: str, text: str) -> tuple[int, ...]:
    words = text.split(",") if text else []
    wrong = next((word for word in words if not KEY.fullmatch(word)), None)
    if wrong is not None:
        raise ArgumentError(name, f"expected numbers of keys with commas between them, got {wrong[:40]!r}")
    return tuple(map(int, words))


def _pairs(name: str, text: str) -> list[tuple[str, float]]:
    pairs = [pair.partition("=") for pair in text.split(",")]
    for key, _, weight in pairs:
        if not (KEY.fullmatch(key) and NUMBER.fullmatch(weight)):
            raise ArgumentError(name, f"expected KEY=WEIGHT such as 0=0.5, got {f'{key}={weight}'[:40]!r}")
    return [(key, float(weight)) for key, _, weight in pairs]


def asked_of(arguments: Mapping[str, Any]) -> SceneRequest:
    """The state that a job was started with."""
    return SceneRequest(**{name: arguments[name] for name in asdict(SceneRequest("", "", "")) if name in arguments})
