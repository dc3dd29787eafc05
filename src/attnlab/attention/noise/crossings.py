"""Where a weight crosses levels, along lines in the direction of the strongest noise.

With the other directions fixed, a weight a(z) is a smooth function on a line. The line is cut at the turning points of
the weight; on each piece the weight rises or falls, and crosses a level at most once.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from attnlab.attention.noise.logits import Logits
from attnlab.attention.noise.quadrature import Array, Breaks, Integrand, Owners, resolve
from attnlab.attention.noise.readout import Readout
from attnlab.attention.noise.roots import roots
from attnlab.attention.noise.turns import turns

_RESOLUTION = 1e-6
"""The relative resolution of a weight, so that no turning point is missed."""
_BEYOND = 1e-13
"""The lines reach so far that the probability beyond them is a thousandth of this."""
UNRESOLVED = 0.25
"""A crossing is found to this share of the weight's rounding error."""
_MOST_KEPT = 1 << 21
"""The most mesh points to keep: 48 MiB."""


@dataclass(frozen=True)
class WeightLine:
    """The weight of one column in the output, as a function of the few Gaussian numbers z."""

    readout: Readout
    logits: Logits
    column: int
    _meshes: dict[bytes, "Mesh"] = field(default_factory=dict, repr=False, compare=False)

    def value(self, z: Array) -> Array:
        """The weight at each point: Σ_h w_h / (sink exp(−ℓ_h) + Σ_j exp(ℓ_hj − ℓ_h)), without the other columns'."""
        logits, asked = self.logits.at(self._points(z)), self.readout
        own = logits[..., self.column, None].clone()
        total = logits.sub_(own).exp_() @ asked.counts
        if asked.sink:
            total += asked.sink * (-own[..., 0]).exp_()
        return (total.reciprocal_() @ asked.head_weights).cpu().numpy()

    def slope(self, z: Array) -> Array:
        """The derivative of the weight along the last direction: Σ_h w_h α_h (ℓ′ − Σ_j α_hj ℓ′_j)."""
        points = self._points(z)
        weights = self.readout.weights(self.logits.at(points))
        slopes = self.logits.slopes(points)
        average = (weights * slopes * self.readout.counts).sum(-1)
        each = weights[..., self.column] * (slopes[..., self.column] - average)
        return (each @ self.readout.head_weights).cpu().numpy()

    def rounding(self, level: Array) -> Array:
        """The rounding error of the weight near `level`."""
        shares = self.readout.head_weights
        size = np.abs(level) if bool((shares >= 0).all()) else float(shares.abs().sum()) + 0 * level
        return self.readout.rounding(torch.float64) * size

    def all_columns(self, z: Array) -> Array:
        """The weights of every head and column; resolving this weight means resolving all of them."""
        return self.readout.weights(self.logits.at(self._points(z))).flatten(1).cpu().numpy()

    @cached_property
    def turns(self) -> Breaks | None:
        """Where panels should end."""
        return turns(self.logits, _RESOLUTION)

    @cached_property
    def scale(self) -> Array:
        """The size of each head's weights: for this column its actual size, however small; 1 for the others."""
        heads, columns = len(self.readout.head_weights), self.logits.columns
        along = np.linspace(-6.0, 6.0, 25)[:, None] * np.ones(self.logits.directions)
        largest = self.all_columns(along).max(0).reshape(heads, columns)
        scale = np.ones((heads, columns))
        scale[:, self.column] = np.clip(largest[:, self.column], 1e-300, 1.0)
        return scale.ravel()

    def mesh(self, prefix: Array) -> "Mesh":
        """The mesh on the lines of `prefix`; the first meshes are kept, because every level needs them."""
        lines = prefix.tobytes()
        if lines in self._meshes:
            return self._meshes[lines]
        mesh = _mesh(self, prefix)
        if sum(len(kept.owner) for kept in self._meshes.values()) < _MOST_KEPT:
            self._meshes[lines] = mesh
        return mesh

    def _points(self, z: Array) -> Tensor:
        return torch.from_numpy(z).to(self.readout.counts.device)


@dataclass(frozen=True)
class Crossings:
    """Where a weight crosses levels: the row of `prefix`, the level, the place ρ, and whether the weight rises."""

    owner: Owners
    level: Owners
    place: Array
    rises: np.ndarray
    ends_below: np.ndarray
    """(rows of `prefix`, levels): whether the weight is at or below the level at the end of the line."""


def crossings(line: WeightLine, prefix: Array, levels: Array) -> Crossings:
    """Where the weight crosses `levels` along the last direction, for each row of `prefix`."""
    axes = line.logits.directions
    if axes == 0:
        below = line.value(np.empty((len(prefix), 0)))[:, None] <= levels
        none = np.zeros(0, int)
        return Crossings(none, none, np.zeros(0), np.zeros(0, bool), below)
    mesh = line.mesh(prefix)
    step, level = _passed(mesh, levels)
    ends = np.append(np.flatnonzero(np.diff(mesh.owner)), len(mesh.owner) - 1)
    ends_below = mesh.weight[ends][:, None] <= levels
    owner, aim = mesh.owner[step], levels[level]

    def excess(which: Owners, place: Array) -> Array:
        return line.value(_points(prefix, owner[which], place)) - aim[which]

    sides = step, step + 1
    given = *(mesh.place[side] for side in sides), *(mesh.weight[side] - aim for side in sides)
    first = _part(mesh.weight[step], mesh.weight[step + 1], aim)
    place = roots(excess, *given, enough=UNRESOLVED * line.rounding(aim), first=first)
    return Crossings(owner, level, place, mesh.weight[step + 1] > mesh.weight[step], ends_below)


@dataclass(frozen=True)
class Mesh:
    """Sorted points along lines: the line (a row of the prefix), the place on it, and the weight there.

    Between neighbours on a line the weight rises or falls, and does not turn.
    """

    owner: Owners
    place: Array
    weight: Array


def _passed(mesh: Mesh, levels: Array) -> tuple[Owners, Owners]:
    """The steps of a mesh, from a point to the next one on its line, that pass a level, and these levels."""
    order, here, there = np.argsort(levels), mesh.weight[:-1], mesh.weight[1:]
    low, high = (levels[order].searchsorted(side(here, there)) for side in (np.minimum, np.maximum))
    count = np.where(mesh.owner[1:] == mesh.owner[:-1], high - low, 0)
    step = np.repeat(np.arange(len(count)), count)
    rank = np.arange(len(step)) - np.repeat(count.cumsum() - count, count)
    return step, order[low[step] + rank]


def _part(low: Array, high: Array, aim: Array) -> Array:
    """How far along a step the weight is `aim`, if its log-odds are linear: those of one moving logit are. NaN where a
    weight has none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high, aim = (np.log(weight / (1 - weight)) for weight in (low, high, aim))
        return (aim - low) / (high - low)


def _mesh(line: WeightLine, prefix: Array) -> Mesh:
    """The mesh on the line of each row of `prefix`: nodes that resolve all weights, and turning points."""
    # The prefix is fixed, so the last direction is the only axis left.
    axes, scale = prefix.shape[1] + 1, line.scale * (_RESOLUTION / _BEYOND)
    integrand = Integrand(line.all_columns, axes, len(scale), _BEYOND, scale, line.turns)
    found = [panels for panels, _ in resolve(integrand, prefix, weigh=False)]
    owner = np.concatenate([np.repeat(panels.owner, panels.nodes.shape[1]) for panels in found])
    place = np.concatenate([panels.nodes.ravel() for panels in found])
    order = np.lexsort((place, owner))
    owner, place = owner[order], place[order]
    slope = line.slope(_points(prefix, owner, place))
    turn = np.flatnonzero((owner[1:] == owner[:-1]) & (np.sign(slope[1:]) * np.sign(slope[:-1]) < 0))
    row = owner[turn]
    top = roots(
        lambda which, place: line.slope(_points(prefix, row[which], place)),
        *(place[end] for end in (turn, turn + 1)),
        *(slope[end] for end in (turn, turn + 1)),
    )
    owner, place = np.insert(owner, turn + 1, owner[turn]), np.insert(place, turn + 1, top)
    return Mesh(owner, place, line.value(_points(prefix, owner, place)))


def _points(prefix: Array, owner: Owners, place: Array) -> Array:
    """The points at these places on lines, with all coordinates."""
    return np.concatenate([prefix[owner], place[:, None]], axis=1)
