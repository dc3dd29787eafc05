"""The weights that queries give to given keys, what noise in the keys does to them, and the best queries."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from attnlab.attention import Distribution, NoisyKeys, best_queries, best_scale, noisy_keys
from attnlab.attention.argument_checks import check_finite, check_index
from attnlab.attention.design.scales import target_weights
from attnlab.attention.functional import logit_lead
from attnlab.attention.noise.distribution import choose_method, distribution_of, law_is_quick
from attnlab.attention.noise.logits import Logits
from attnlab.attention.noise.readout import Readout, ReadoutOptions, readout
from attnlab.benches.attention.curves import ErrorCurve, WeightLaw, weight_law
from attnlab.benches.attention.matrices import MatrixLike, read_matrix
from attnlab.benches.attention.settings import WeighSettings
from attnlab.calls import Call, Weights, given_matrix
from attnlab.contents import Content
from attnlab.errors import ArgumentError
from attnlab.progress import SILENT, Observer
from attnlab.records import Record, record
from attnlab.settings import changes

QUANTILES = (0.05, 0.5, 0.95)
SCALES: Sequence[float] = np.geomspace(0.1, 1000.0, 33).tolist()
"""The scales of the curve of errors."""
CURVE_SAMPLES = 1 << 11
"""The most draws for a point of the curve."""
HASTY_SAMPLES, SAMPLES_IN_TIME = 1 << 12, 1 << 16
"""The draws in some milliseconds, and in about a second, if the noise has too many directions for the exact method."""
MANY_KEYS = 50
"""With more keys, half as many draws in haste, if each key has noise of its own: they take as long."""


@dataclass(frozen=True)
class Scene:
    """Noisy keys, the queries of the heads without the scale C, and the wanted weights."""

    keys: NoisyKeys
    queries: Tensor
    wanted: Tensor
    settings: WeighSettings

    @cached_property
    def readout(self) -> Readout:
        """What attention reads at the chosen scale."""
        return self._readout(self.settings.scale)

    def by(self, **how: Any) -> "Scene":
        """The same scene, measured by another method, or with another number of draws."""
        other = replace(self, settings=replace(self.settings, **how))
        other.__dict__["readout"] = self.readout
        return other

    def in_time(self, hasty: bool = False) -> "Scene":
        """The same scene by a method that answers within a second or so; in haste, while a hand moves keys, in some
        milliseconds. The exact law of a weight takes about 10 ms for one direction of noise, a second for two
        directions and few keys, and up to minutes for more."""
        logits = self.readout.logits
        draws = HASTY_SAMPLES if hasty else SAMPLES_IN_TIME
        if choose_method(self.readout) == "exact":
            if logits.directions <= 1 or (law_is_quick(logits) and not hasty):
                return self
            return self.by(method="quasi-monte-carlo", samples=draws)
        draws = draws // 2 if hasty and logits.columns > MANY_KEYS else draws
        return self.by(samples=draws) if isinstance(logits, Logits) else self.by(method="monte-carlo", samples=draws)

    @property
    def lead(self) -> float | None:
        """How far the largest logit is above the mean of the others without noise, on average over the heads: the
        `scale` that `heads theory` measures in trained heads. None with a single key."""
        keys = self.keys.means
        if len(keys) < 2:
            return None
        if self.settings.normalise_keys:
            keys = keys / keys.norm(dim=1, keepdim=True).clamp_min(1e-300)
        return float(logit_lead(self.settings.scale * self.queries @ keys.mT).mean())

    @property
    def reading(self) -> ReadoutOptions:
        """How attention reads the keys. All heads have the same share of the output."""
        heads = len(self.queries)
        shares = torch.full((heads,), 1 / heads, dtype=torch.float64)
        return {"head_weights": shares, "normalise_keys": self.settings.normalise_keys, "sink": self.settings.sink}

    def measure(self, scale: float, samples: int | None = None) -> Distribution:
        """The distribution of the weights at a scale, with at most `samples` draws."""
        asked = self.settings
        draws = min(asked.samples, samples or asked.samples)
        made = self.readout if scale == asked.scale else self._readout(scale)
        return distribution_of(made, method=asked.method, samples=draws, seed=asked.seed)

    def _readout(self, scale: float) -> Readout:
        return readout(self.keys, scale * self.queries, self.wanted, **self.reading)


@record
class Weighed(Record):
    """The weights of the keys over the noise, the error against the wanted weights, and the law of one weight."""

    shown_by: ClassVar[str] = "attention.weigh.weighed"

    scene: Scene
    distribution: Distribution
    keys_file: str = ""
    """The file of the keys; empty if they were given as numbers."""

    @property
    def settings(self) -> WeighSettings:
        """The settings."""
        return self.scene.settings

    @property
    def error(self) -> float:
        """E‖c − c*‖², where c* has the wanted weights, and the values are orthonormal."""
        return self.distribution.error

    @cached_property
    def law(self) -> WeightLaw | None:
        """The law of the weight of the chosen key; None if that weight is constant. Computed at first use."""
        return weight_law(self.distribution, self.settings.key, QUANTILES)

    @cached_property
    def curve(self) -> ErrorCurve:
        """The error against the scale C. Computed at first use."""
        errors = [self.scene.measure(scale, CURVE_SAMPLES).error for scale in SCALES]
        return ErrorCurve(len(self.scene.queries), SCALES, errors, None)

    @Content(
        "settings.scale",
        "scene.lead",
        "distribution.method",
        "distribution.directions",
        "distribution.points",
        "distribution.error",
        "distribution.error_bound",
        "distribution.standard_error",
        "distribution.law_method",
        "settings.key",
        "law",
        heads=int,
        weights=[Content(wanted=float, mean=float, mean_bound=float, sd=float)],
        centre=list[float],
    )
    def to_dict(self) -> dict[str, Any]:
        """The weights, the error, and the law of the chosen key's weight."""
        found = self.distribution
        columns = (self.scene.wanted, found.weight_mean, found.weight_mean_bound, found.weight_sd)
        names = ("wanted", "mean", "mean_bound", "sd")
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return {
            "scale": self.settings.scale,
            "heads": len(self.scene.queries),
            "lead": self.scene.lead,
            "method": found.method,
            "directions": found.directions,
            "points": found.points,
            "weights": [dict(zip(names, row, strict=True)) for row in rows],
            "error": found.error,
            "error_bound": found.error_bound,
            "standard_error": found.standard_error,
            "centre": (found.weight_mean @ self.scene.keys.means).tolist(),
            "key": self.settings.key,
            "law_method": found.law_method,
            "law": _law_dict(self.law) if self.law else None,
        }

    @property
    def call(self) -> Call:
        """The call that measures it again."""
        made = self.scene
        wanted = Weights({key: weight for key, weight in enumerate(made.wanted.tolist()) if weight})
        keys = self.keys_file or given_matrix("keys", made.keys.means.tolist())
        options = {"keys": keys, "queries": made.queries.tolist(), "mix": wanted}
        return Call("weigh", options=options | changes(self.settings, WeighSettings()))


def weigh(
    keys: MatrixLike, queries: MatrixLike, mix: Mapping[int, float], settings: WeighSettings | None = None
) -> Weighed:
    """The weights of given keys for one query a head. Keys and queries are rows; `mix` has the wanted weights by key.

    >>> found = weigh([[1, 0], [0, 1], [-1, 0]], [[1, 1]], {0: 0.5, 1: 0.5}, WeighSettings(scale=5, norm_variance=0.5))
    >>> f"{found.distribution.weight_mean[0]:.3f} {found.error:.3f}"
    '0.497 0.351'
    """
    file = str(keys) if isinstance(keys, str | Path) else ""
    return weigh_scene(scene(keys, queries, mix, settings or WeighSettings()), file)


def weigh_scene(made: Scene, keys_file: str = "") -> Weighed:
    """The weights in a scene."""
    return Weighed(made, made.measure(made.settings.scale), keys_file)


def scene(keys: MatrixLike, queries: MatrixLike, mix: Mapping[int, float], settings: WeighSettings) -> Scene:
    """The checked keys, queries and wanted weights."""
    means, asked = read_matrix("keys", keys), read_matrix("queries", queries)
    if means.ndim != 2 or asked.ndim != 2 or means.shape[1] != asked.shape[1]:
        got = f"got keys of shape {tuple(means.shape)} and queries of shape {tuple(asked.shape)}"
        raise ArgumentError("queries", f"expected rows as long as the keys, {got}")
    for key in settings.noisy:
        check_index("noisy", key, len(means))
    check_index("key", settings.key, len(means))
    try:
        wanted = torch.from_numpy(target_weights(mix, len(means)))
    except ArgumentError as error:
        raise ArgumentError("mix" if error.argument == "target" else error.argument, error.message) from error
    check_finite("keys", means)
    check_finite("queries", asked)
    variance = torch.zeros(len(means), dtype=torch.float64)
    variance[list(settings.noisy) or slice(None)] = settings.norm_variance
    noisy = noisy_keys(means, norm_variance=variance, isotropic=settings.isotropic)
    return Scene(noisy, asked.double(), wanted, settings)


def best(
    keys: MatrixLike,
    queries: MatrixLike,
    mix: Mapping[int, float],
    settings: WeighSettings,
    *,
    scale_only: bool = False,
    observer: Observer = SILENT,
) -> Weighed:
    """The same keys with the best queries found for as many heads; with `scale_only`, the given ones at their best
    scale."""
    asked = scene(keys, queries, mix, settings)
    with observer.task("best scale" if scale_only else "best queries"):
        if scale_only:
            found = best_scale(asked.keys, asked.queries, asked.wanted, **asked.reading)
            return weigh(keys, queries, mix, replace(settings, scale=found.scale))
        found = best_queries(asked.keys, asked.wanted, heads=len(asked.queries), seed=settings.seed, **asked.reading)
    return weigh(keys, found.queries.tolist(), mix, replace(settings, scale=1.0))


def _law_dict(law: WeightLaw) -> dict[str, Any]:
    quantiles = [asdict(each) for each in law.quantiles]
    return {"edges": list(law.edges), "density": list(law.density), "quantiles": quantiles}
