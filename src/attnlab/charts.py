"""What a chart shows, as data: lines and bars. `report/figures.py` draws them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Series:
    """A named line of a chart, y against x; `low` and `high` are a band around it, where there is one."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()


@dataclass(frozen=True)
class Lines:
    """A chart of lines. `description` says in words what it shows, for those who cannot see it."""

    title: str
    x_title: str
    y_title: str
    series: tuple[Series, ...]
    description: str
    log_x: bool = False
    log_y: bool = False


@dataclass(frozen=True)
class Bar:
    """A named bar; `low` to `high` is the interval around its value, where there is one."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Bars:
    """A chart of bars, one below the other. `description` says in words what it shows."""

    title: str
    x_title: str
    bars: tuple[Bar, ...]
    description: str


Chart = Lines | Bars
