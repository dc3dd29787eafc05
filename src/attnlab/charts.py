"""The data of charts: lines and bars. `report/charts/figures.py` draws them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Series:
    """A named line of a chart, y against x; `low` and `high` are the optional band around it."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()


@dataclass(frozen=True)
class Lines:
    """A chart of lines. `description` tells what it shows, for readers who cannot see it."""

    title: str
    x_title: str
    y_title: str
    series: tuple[Series, ...]
    description: str
    log_x: bool = False
    log_y: bool = False


@dataclass(frozen=True)
class Bar:
    """A named bar; `low` to `high` is the optional interval around its value."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Bars:
    """A chart of bars, one below the other. `description` tells what it shows."""

    title: str
    x_title: str
    bars: tuple[Bar, ...]
    description: str


Chart = Lines | Bars
