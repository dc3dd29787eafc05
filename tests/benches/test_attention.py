"""The attention bench from Python: records that equal what the commands print, and that say how to make them again."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from attnlab.attention import Containment, Impossible
from attnlab.attention.scenario import MOST_KEYS
from attnlab.benches.attention import remedies as remedies_bench
from attnlab.benches.attention import robustness as robustness_bench
from attnlab.benches.attention.construct import Constructed, Evaluated, construct
from attnlab.benches.attention.design import design
from attnlab.benches.attention.extract import extract
from attnlab.benches.attention.measuring import slow_draws
from attnlab.benches.attention.remedies import Remedies, remedies
from attnlab.benches.attention.robustness import Robustness, robustness
from attnlab.benches.attention.settings import RemediesSettings, RobustnessSettings, WeighSettings
from attnlab.benches.attention.weigh import weigh
from attnlab.errors import ArgumentError, AttnlabError, FileError
from attnlab.progress import Observer, WatchedTask
from attnlab.records import Record

KEYS = [[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0], [0.0, 0.0]]  # key 3 is the mean of the others
INPUTS = "x1 = d + b; x2 = a; x3 = c + b"
SOME = RobustnessSettings(keys=4, scale=3.0, heads=2, noisy="b", quantiles=(0.05, 0.5), normalise_keys=True)


class Noting(Observer):
    """An observer that remembers what it was told."""

    def __init__(self):
        self.tasks: dict[str, tuple[float | None, list[tuple[float, str | None]]]] = {}

    @contextmanager
    def task(self, what: str, total: float | None = None) -> Iterator[WatchedTask]:
        told: list[tuple[float, str | None]] = []
        self.tasks[what] = total, told

        class Noted(WatchedTask):
            def advance(self, done: float = 1, what: str | None = None) -> None:
                told.append((done, what))

        yield Noted()


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    np.save("keys.npy", np.array(KEYS))
    np.save("a.npy", np.array([[1.0], [0.0]]))
    np.save("b.npy", np.array([[1.0], [1.0]]))
    save_file({"keys": torch.tensor(KEYS), "twins": torch.ones(2, 2)}, "keys.safetensors")
    monkeypatch.setattr(robustness_bench, "CURVE", [1.0, 10.0, 100.0])


ASKED: dict[str, Callable[[], Record]] = {
    "robustness": lambda: robustness(RobustnessSettings()),
    "robustness in many ways": lambda: robustness(SOME),
    "robustness by draws": lambda: robustness(
        RobustnessSettings(4, scale=-2.0, samples=1000, seed=4, method="monte-carlo", sink=1.5)
    ),
    "robustness at the best scale": lambda: robustness(RobustnessSettings(keys=4, best_scale=True)),
    "remedies": lambda: remedies(RemediesSettings(keys=3, norm_variance=0.0, scale=20.0, heads=1, seed=2)),
    "copy": lambda: design("keys.npy", copy=1, norm=3.0),
    "mix": lambda: design(Path("keys.npy"), mix={0: 0.1, 1: 0.9}, tolerance=0.25),
    "no copy": lambda: design("keys.npy", copy=3),
    "no mix": lambda: design("keys.safetensors", mix={0: 0.75, 1: 0.25}, tensor="twins"),
    "extract": lambda: extract("a.npy", "b.npy"),
    "no extract": lambda: extract("a.npy", Path("a.npy")),
    "construct": lambda: construct(INPUTS, "c2 = b; c1 = b - c", beta=6.5),
    "construct with a given V": lambda: construct(INPUTS, "c2 = b", V="-0.3 I"),
    "construct from numbers": lambda: construct(
        [[0, 1.1, 0, 1, 0], [1, 0, 0, 0, 0], [0, 1 / 3, 1, 0, 0]], {1: [0, 1 / 3, 1, 0, 0]}
    ),
    "no construct": lambda: construct("x1 = a; x2 = a", "c1 = a; c2 = 0"),
    "evaluate": lambda: construct(INPUTS, Q="d a^T - c d^T", V=torch.diag(torch.tensor([0.0, 1.0, -1 / 3, 0.0]))),
}
IMPOSSIBLE = {"no copy", "no mix", "no extract", "construct with a given V", "no construct"}
each_record = pytest.mark.parametrize("name", ASKED)


@cache
def made(name: str) -> Record:
    """The record; no test changes it."""
    return ASKED[name]()


@each_record
def test_the_call_makes_the_record_again(again, name):
    found = made(name)
    assert again(found) == json.loads(json.dumps(found.to_dict(), allow_nan=False))


@each_record
def test_what_is_impossible_does_not_hold(name):
    assert made(name).holds is (name not in IMPOSSIBLE)


@each_record
def test_a_record_is_printed_drawn_and_saved(tmp_path: Path, name):
    found = made(name)
    assert repr(found).splitlines()[0]
    assert "svg" in found._repr_html_()
    assert found.plot().to_dict()
    for ending, begins in {"svg": "<svg", "html": "<!doctype html>", "json": "{\n"}.items():
        text = found.save(tmp_path / f"record.{ending}").read_text(encoding="utf-8")
        assert text.startswith(begins)


def test_the_command_has_only_what_is_not_usual():
    assert made("robustness").command == "attnlab robustness"
    assert made("robustness in many ways").command == (
        "attnlab robustness --keys 4 --noisy b --scale 3.0 --heads 2 --normalise-keys --quantiles 0.05,0.5"
    )
    assert extract("a.npy", "b.npy").command == "attnlab extract --a a.npy --b b.npy"


def test_the_call_writes_numbers_that_were_given(again):
    for found in (
        design(KEYS, mix={0: 0.25, 1: 0.75}, tolerance=0.01),
        extract(np.eye(2)[:, :1], "b.npy"),
        weigh(KEYS, [[-1.0] * len(KEYS[0])], {0: 1.0}, WeighSettings(norm_variance=0.5, noisy=(0,))),
    ):
        assert again(found) == json.loads(json.dumps(found.to_dict()))


def test_a_table_and_curves_are_found_when_they_are_asked_for(monkeypatch: pytest.MonkeyPatch):
    asked: list[tuple[float, int]] = []
    measure = robustness_bench.measure

    def noted(settings: Any, scale: float, heads: int, *rest: Any, **more: Any) -> Any:
        asked.append((scale, heads))
        return measure(settings, scale, heads, *rest, **more)

    monkeypatch.setattr(robustness_bench, "measure", noted)
    found = robustness(RobustnessSettings(keys=3, scale=7.0))
    found.to_dict()
    assert asked == [(7.0, 1)]
    assert [row.scale for row in found.rows] == [1, 2, 5, 7, 10, 20, 50, 100, 1000]
    assert len(asked) == 1 + 8 + 9
    assert found.rows is found.rows
    assert [curve.heads for curve in found.curves] == [1, 2]
    assert [len(each.weight) for each in found.densities] == [200, 200]
    assert len(asked) == 18 + 6 + 2


def test_the_table_compares_one_head_with_more():
    one, three = (robustness(RobustnessSettings(keys=4, scale=5.0, heads=heads)) for heads in (1, 3))
    (first,), (other,) = ([row for row in found.rows if row.scale == 5.0] for found in (one, three))
    assert first.error == one.error == other.error_beside
    assert other.error == three.error
    assert other.ratio == pytest.approx(one.error / three.error)
    assert robustness(RobustnessSettings(keys=2, norm_variance=0.0)).rows[0].ratio is None


def test_a_weight_that_does_not_vary_has_no_density():
    assert robustness(RobustnessSettings(keys=3, norm_variance=0.0)).densities == ()


def test_the_rows_of_a_csv_file(tmp_path: Path):
    path = robustness(RobustnessSettings(keys=3)).save(tmp_path / "rows.csv")
    names, *rows = path.read_text().splitlines()
    assert names.split(",")[:2] == ["scale", "error"]
    assert "weight_mean_other" in names
    assert len(rows) == len(robustness_bench.SCALES)


def test_an_observer_is_told():
    watching = Noting()
    found = robustness(RobustnessSettings(keys=4, best_scale=True, method="monte-carlo", samples=3000), watching)
    total, told = watching.tasks["averaging over the noise"]
    assert total == 3000
    assert sum(done for done, _ in told) == 3000
    assert list(watching.tasks) == ["best scale", "averaging over the noise"]
    _ = found.rows, found.curves, found.densities
    assert list(watching.tasks)[2:] == [
        "scales",
        "error against the scale, 1 head",
        "error against the scale, 2 heads",
        "the spread of the weight on a",
    ]


@pytest.mark.parametrize(
    ("options", "warning"),
    [
        (
            {"isotropic": 1.0, "normalise_keys": True},
            "2,000,000 draws of 3,600 random numbers each take about 2 minutes",
        ),
        ({"isotropic": 1.0, "method": "monte-carlo", "heads": 60}, "(--samples 833333) take about one minute"),
        ({"isotropic": 1.0}, None),
        ({"normalise_keys": True}, None),
    ],
)
def test_draws_of_minutes_are_announced(options, warning):
    said = slow_draws(RobustnessSettings(keys=60, samples=2_000_000, **options))
    assert said is None if warning is None else warning in str(said)


def test_a_warning_comes_before_the_draws(monkeypatch: pytest.MonkeyPatch):
    told: list[str] = []

    class Watching(Observer):
        def warn(self, text: str) -> None:
            told.append(text)

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(robustness_bench, "measure", stop)
    with pytest.raises(KeyboardInterrupt):
        robustness(RobustnessSettings(keys=5000, isotropic=1, normalise_keys=True), Watching())
    assert len(told) == 1


def test_quantiles_among_many_keys_say_that_they_are_drawn():
    found = robustness(RobustnessSettings(keys=40, isotropic=0.1, samples=500, quantiles=(0.5,)))
    assert (found.to_dict()["method"], found.to_dict()["law_method"], found.to_dict()["law_draws"]) == (
        "exact",
        "monte-carlo",
        500,
    )
    assert "(500 random draws)" in str(found)


def test_an_observer_is_told_of_each_remedy(monkeypatch: pytest.MonkeyPatch):
    found = made("remedies")
    assert isinstance(found, Remedies)

    def answer(setting: Any, *, progress: Callable[[str], None], **options: Any) -> list[Any]:
        for each in found.rows:
            progress(each.name)
        return list(found.rows)

    monkeypatch.setattr(remedies_bench, "measure_remedies", answer)
    watching = Noting()
    remedies(found.settings, watching)
    assert watching.tasks["remedies"] == (len(found.rows), [(1, each.name) for each in found.rows])
    remedies(RemediesSettings(keys=2, heads=3), watching)
    assert watching.tasks["remedies"][0] == 9  # two keys have no others to turn away


def test_keys_come_in_many_ways():
    ways = [KEYS, np.array(KEYS), np.array(KEYS).astype(">f8"), torch.tensor(KEYS), torch.tensor(KEYS).int()]
    expected = design("keys.npy", mix={0: 0.5, 1: 0.5}).to_dict()
    turned = np.asfortranarray(KEYS)[:, ::-1][:, ::-1]
    for keys in (*ways, "keys.safetensors", Path("keys.npy"), turned, np.array(KEYS, dtype=np.longdouble)):
        found = design(keys, mix={0: 0.5, 1: 0.5}).to_dict()
        assert found["weights"] == pytest.approx(expected["weights"], abs=1e-12)


def test_a_design_that_is_impossible_has_its_certificate():
    found = design(KEYS, copy=3)
    assert isinstance(found.found, Impossible)
    assert isinstance(found.found.certificate, Containment)
    assert found.wanted == (0, 0, 0, 1)
    assert found.weights == pytest.approx((1 / 4, 1 / 4, 1 / 4, 1 / 4), abs=1e-6)
    assert found.query is not None
    twins = design(np.ones((2, 2)), mix={0: 0.75, 1: 0.25})
    assert (twins.query, twins.weights) == (None, None)


def test_spans_keep_the_precision_that_they_came_in():
    """Spans that are orthogonal up to the rounding of float32 are orthogonal if float32 was given."""
    a = np.array([[0.6], [0.8]], dtype=np.float32)
    b = np.array([[0.8], [-0.6]], dtype=np.float32) + np.float32(2e-7)
    kinds = [extract(*each).to_dict()["kind"] for each in ((a, b), (a.astype(float), b.astype(float)))]
    assert kinds == ["orthogonal", "oblique"]


def test_numbers_construct_what_text_does():
    text = construct(INPUTS, "c2 = b; c1 = b - c", K="I")
    x = np.array([[0, 1, 0, 1], [1, 0, 0, 0], [0, 1, 1, 0]])
    numbers = construct(x, {1: np.array([0, 1, 0, 0]), 0: [0, 1, -1, 0]}, K=np.eye(4))
    assert isinstance(text, Constructed)
    assert isinstance(numbers, Constructed)
    assert numbers.to_dict() == text.to_dict()
    assert np.array(numbers.weights).sum(1) == pytest.approx([1, 1, 1])
    np.save("x.npy", x)
    given = construct("x.npy", Q="0")
    assert isinstance(given, Evaluated)
    assert given.inputs.parts == ("a", "b", "c", "d")


def test_many_parts_are_numbered():
    assert construct(np.eye(30)).inputs.parts[:2] == ("p000", "p001")


Bad = type[AttnlabError]
BAD: list[tuple[Callable[[], object], Bad, str]] = [
    (lambda: RobustnessSettings(keys=1), ArgumentError, "keys: expected a whole number from 2 to 5,000, got 1; try 2"),
    (
        lambda: RobustnessSettings(keys=MOST_KEYS + 1),
        ArgumentError,
        "keys: expected a whole number from 2 to 5,000, got 5001; try 5000",
    ),
    (lambda: RobustnessSettings(quantiles=(0.5, 1.0)), ArgumentError, "quantiles: expected numbers above 0 and below"),
    (lambda: RobustnessSettings(noisy="c"), ArgumentError, "noisy: expected a, b or a,b; got 'c'"),  # pyright: ignore
    (
        lambda: robustness(RobustnessSettings(sink=np.inf)),
        ArgumentError,
        "sink: expected a finite number of at least 0, got inf",
    ),
    (lambda: RemediesSettings(heads=0), ArgumentError, "heads: expected a whole number from 1 to 100, got 0; try 1"),
    (lambda: design(KEYS), ArgumentError, "copy: expected either copy=KEY or mix={KEY: WEIGHT, …}, got neither"),
    (
        lambda: design(KEYS, copy=1, mix={0: 1.0}),
        ArgumentError,
        "copy: expected either copy=KEY or mix={KEY: WEIGHT, …}, got both",
    ),
    (lambda: design(KEYS, copy=4), ArgumentError, "copy: expected a key number from 0 to 3, got 4"),
    (lambda: design(KEYS, mix={0: 0.5}), ArgumentError, "mix: expected weights that sum to 1"),
    (lambda: design(KEYS, copy=0, tensor="keys"), ArgumentError, "tensor: needs a .safetensors file"),
    (lambda: design("keys.npy", copy=0, tensor="keys"), ArgumentError, "tensor: works only with .safetensors files"),
    (
        lambda: design([[1.0], [1.0, 2.0]], copy=0),
        ArgumentError,
        "keys: expected rows of the same length, got rows of 1 and 2 numbers",
    ),
    (lambda: design([1.0, 2.0], copy=0), ArgumentError, "keys: expected two axes (keys, dim), got shape (2,)"),  # pyright: ignore
    (lambda: design({"a": 1}, copy=0), ArgumentError, "keys: expected a Tensor, a ndarray, a list, a text or a path"),  # pyright: ignore
    (lambda: design(np.eye(2) > 0, copy=0), ArgumentError, "keys: expected a matrix of numbers or the path of a file"),
    (lambda: design("none.csv", copy=0), FileError, "none.csv: there is no such file"),
    (lambda: extract("a.npy", np.eye(3)), ArgumentError, "b: expected 2 rows as in a, got 3"),
    (lambda: construct("y = 1"), ArgumentError, "inputs: cannot read 'y = 1'"),
    (lambda: construct(INPUTS, {0: ["b"]}), ArgumentError, "wants: expected for each wanted output a list of num"),
    (lambda: construct(INPUTS, {3: [1, 0, 0, 0]}), ArgumentError, "wants: expected the number of an input, from 0 to"),
    (lambda: construct(INPUTS, "c1 = b", Q="I"), ArgumentError, "Q: cannot be given together with wants"),
    (lambda: construct(INPUTS, V=np.eye(3)), ArgumentError, "V: expected 4 × 4, a row and a column for each part, got"),
    (lambda: construct("none.npy"), FileError, "none.npy: there is no such file"),
]


@pytest.mark.parametrize(("ask", "kind", "message"), BAD, ids=[message for _, _, message in BAD])
def test_bad_input_raises_the_errors_of_the_lab(as_installed, ask, kind, message):
    with pytest.raises(kind) as raised:
        ask()
    assert str(raised.value).startswith(message)


def test_the_settings_bring_no_torch():
    code = "import sys; from attnlab.benches.attention.settings import RobustnessSettings; RobustnessSettings(); "
    told = "print({'torch', 'numpy'} & set(sys.modules)); import attnlab.benches.attention.robustness; "
    told += "print('torch' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code + told], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["set()", "True"]


def test_a_record_holds_what_was_asked():
    found = made("robustness in many ways")
    assert isinstance(found, Robustness)
    assert (found.settings, found.scale) == (SOME, 3.0)
    assert list(found.quantiles) == [0.05, 0.5]
    assert found.weight_mean.a + found.weight_mean.b + 2 * (found.weight_mean.other or 0) == pytest.approx(1)
    assert found.weight_sd.a > 0
