"""What benchmarks print of what they measured."""

import re
import runpy
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import sympy
import torch

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"

DOCS = BENCHMARKS.parent / "docs"
PAGE = (DOCS / "benchmarks.md").read_text()
TRIED = (DOCS / "tried.md").read_text()
COMMAND = re.compile(r"`\.venv/bin/python benchmarks/(\S+?\.py)([^`]*)`")


@pytest.mark.parametrize("command", COMMAND.findall((PAGE + TRIED).replace("\n", " ")), ids=" ".join)
def test_a_command_of_the_page_has_a_file_and_options_that_are_there(command: tuple[str, str]):
    file, words = command
    known = (BENCHMARKS / file).read_text()
    assert [option for option in re.findall(r"--[a-z-]+", words) if f'"{option}"' not in known] == []


def test_every_table_of_the_page_has_a_command_below_it():
    """Tables below a heading of the second kind may share one: the file of birthplaces has all that they tell."""
    for section in PAGE.split("\n## ")[1:]:
        assert COMMAND.search(section.replace("\n", " ")), section.splitlines()[0]
        assert "±" not in section or re.search(r"seeds?\b", section), section.splitlines()[0]
    assert "nothing else running" not in PAGE  # what else ran is told by the load average


@pytest.mark.parametrize("page", [PAGE, TRIED], ids=["benchmarks", "tried"])
def test_no_line_of_prose_is_longer_than_a_line_of_code(page: str):
    assert [line for line in page.splitlines() if len(line) > 120 and not line.startswith("|")] == []


def test_what_was_tried_has_a_command_or_says_that_none_repeats_it():
    sections = TRIED.replace("\n", " ").split(" ## ")[1:]
    for section in sections:
        assert COMMAND.search(section) or "o command of the repository repeats" in section, section[:40]
    assert len(set(re.findall(r"\(tried\.md#([\w-]+)\)", PAGE))) == len(sections)


@pytest.mark.parametrize(
    ("nats", "told"),
    [
        ([1.5], "1.5000 (1 seed)"),
        ([1.5, 1.5, 1.5], "1.5000 (each of 3 seeds)"),  # not ± 0.0000
        ([1.5, 1.5, 1.5001], "1.5000 ± 0.0001 (3 seeds)"),
        ([1.4, 1.5, 1.6], "1.5000 ± 0.2484 (3 seeds)"),
    ],
)
def test_the_interval_is_that_of_any_number_of_seeds(nats: list[float], told: str, capsys: pytest.CaptureFixture[str]):
    tell = runpy.run_path(str(BENCHMARKS / "shakespeare.py"))["tell"]
    tell("lab", [{"nats": each, "seconds": 2.0} for each in nats], 6.0)
    each = " ".join(f"{value:.4f}" for value in nats)
    assert capsys.readouterr().out == f"lab: {told}, 2.0 s, 1/3.0 of the peer's time [{each}]\n"


def test_passages_have_the_parts_that_a_measurement_has(monkeypatch: pytest.MonkeyPatch):
    from attnlab.evaluation.scoring.measures import measure

    text = "".join(f" = {number} = \n" + f"The cat {number} sat. \n" * 99 for number in range(9))
    found = runpy.run_path(str(BENCHMARKS / "intervals.py"))
    models = found["subjects"](text[:5000])
    parts = found["Stretch"].joined(found["articles"](models, text)).parts(headings=True)
    bits = measure(models[0], text).parts
    assert parts.shape[1] == len(bits[0]) == 9
    assert parts[3] == pytest.approx(bits[1], abs=24)  # a heading belongs to the article before, or after
    assert parts[3].sum() == bits[1].sum()


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([0.9], "90.00 % (1 seed)"),
        ([0.88, 0.9, 0.92], "90.00 % ± 4.97 (3 seeds)"),
        ([0.89, 0.91] * 3, "90.00 % ± 1.15 (6 seeds)"),  # 2.571 · 1.0954 / √6
        ([0.89, 0.91] * 5, "90.00 % ± 0.75 (10 seeds)"),  # 2.262 · 1.0541 / √10
    ],
)
def test_the_interval_of_reviews_is_that_of_any_number_of_seeds(values: list[float], told: str):
    assert runpy.run_path(str(BENCHMARKS / "sentiment.py"))["spread"](values) == told


def test_what_order_is_worth_is_told_of_every_kind_of_model(capsys: pytest.CaptureFixture[str]):
    runpy.run_path(str(BENCHMARKS / "sentiment.py"))["reading"]("reviews", most=8, texts=128, seeds=1)
    first, *lines = capsys.readouterr().out.splitlines()
    assert first == "reviews, the first 8 words of a review, 3,600 to train on, 400 held out:"
    assert [line.split(":")[0].strip() for line in lines] == ["averaging", "recurrent", "Transformer"]


def test_reviews_need_a_seed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setattr("sys.argv", ["sentiment.py", "--data", str(tmp_path), "--seeds", "0"])
    with pytest.raises(SystemExit, match="2"):
        runpy.run_path(str(BENCHMARKS / "sentiment.py"), run_name="__main__")
    assert "--seeds: expected at least 1, got 0" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("ratios", "told", "met"),
    [
        ((1.01, 1.012, 1.014), "+1.20 % (from +0.70 to +1.70)", True),
        ((1.0, 1.02, 1.06), "+2.64 % (from −4.65 to +10.48): not decided, add --minutes", None),
        ((1.05, 1.052, 1.054), "+5.20 % (from +4.70 to +5.70)", False),
    ],
)
def test_a_job_is_slower_or_not_by_its_whole_interval(
    ratios: tuple[float, ...], told: str, met: bool | None, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.syspath_prepend(BENCHMARKS / "studio")
    row = runpy.run_path(str(BENCHMARKS / "studio" / "jobs.py"))["_ratio"]("a job", [(1.0, each) for each in ratios])
    assert (row.figure, row.met) == (told, met)


def test_counts_have_no_seeds(capsys: pytest.CaptureFixture[str]):
    row = runpy.run_path(str(BENCHMARKS / "bigram.py"))["row"]
    row("counts", [(53.7, 1.0), (53.7, 2.0), (53.7, 4.0)], 8.0, random=False)
    assert capsys.readouterr().out.split() == ["counts", "53.70", "2.00", "s", "1/4.0"]


def test_a_command_that_fails_has_no_time():
    taken = runpy.run_path(str(BENCHMARKS / "commands.py"))["taken"]
    assert min(taken([sys.executable, "-c", "raise SystemExit(1)"])) > 0  # a verdict of "no"
    with pytest.raises(SystemExit, match="exit status 2"):
        taken([sys.executable, "-c", "raise SystemExit(2)"])


def test_a_peer_without_a_seed_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "tinyshakespeare").mkdir()
    (tmp_path / "tinyshakespeare" / "input.txt").touch()
    (tmp_path / "train.py").write_text("import torch\n")
    monkeypatch.setattr("sys.argv", ["shakespeare.py", "--data", str(tmp_path), "--peer", str(tmp_path)])
    with pytest.raises(SystemExit, match="2"):
        runpy.run_path(str(BENCHMARKS / "shakespeare.py"), run_name="__main__")
    assert "--peer: expected a checkout of nanoGPT whose train.py has manual_seed(1337" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("terms", "right"),
    [
        ([("C", "a + b")], True),
        ([("C", "a"), ("C + exp(-C)", "b")], True),
        ([("log(log(C))", "a + b"), ("exp(C)", "all")], True),
        ([("C**2", "a + b"), ("log(C)", "a")], False),
        ([("C*(n - 5)**2", "a + b")], False),  # for five keys, q is 0
    ],
)
def test_limits_decide_which_answers_of_the_benchmark_are_right(terms: list[tuple[str, str]], right: bool):
    meaning = meanings()
    symbols = {"C": meaning["C"], "n": meaning["n"]}
    query = meaning["query"](*((sympy.parse_expr(share, local_dict=symbols), keys) for share, keys in terms))
    assert meaning["gives"]((query,), meaning["even"]) is right


@cache
def meanings() -> dict[str, Any]:
    return runpy.run_path(str(BENCHMARKS / "answers" / "meanings.py"))


def test_heads_that_differ_without_a_reason_are_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.syspath_prepend(BENCHMARKS / "heads")
    found = runpy.run_path(str(BENCHMARKS / "heads" / "heads.py"))
    compared, same = found["Compared"].of, torch.tensor([0.25, torch.nan])
    near, far = same + 9e-6, same + 2e-5
    for row, agreed in ((("a", same, near), True), (("a", same, far, "by design"), True), (("a", same, far), False)):
        assert found["tell_agreement"]("title", [compared(*row)], found["Console"]()) is agreed
    assert re.findall("by design|agree │|DISAGREE|. of . agree", capsys.readouterr().out) == [
        *("agree │", "1 of 1 agree"), *("by design", "0 of 0 agree"), *("DISAGREE", "0 of 1 agree"),
    ]  # fmt: skip


@pytest.mark.parametrize("gains", [False, True])
def test_the_matrices_of_heads_differ_from_raw_ones_by_gains_alone(gains: bool, monkeypatch: pytest.MonkeyPatch):
    from attnlab.models.inside import TransformerInside

    monkeypatch.syspath_prepend(BENCHMARKS / "heads")
    found = runpy.run_path(str(BENCHMARKS / "heads" / "agreement.py"))
    inside = TransformerInside(found["random_model"](gains=gains))
    ours, raw, centred = map(
        found["matrix_scores"], (inside, *(found["Altered"](inside, how) for how in ("raw", "centred")))
    )
    for name, values in ours.items():
        assert values.allclose(raw[name], atol=1e-6, equal_nan=True) is not gains
        assert not values.allclose(centred[name], atol=1e-4, equal_nan=True)


def test_the_tables_of_many_gpus_are_the_arithmetic_of_a_speed_that_was_measured(capsys):
    found = runpy.run_path(str(BENCHMARKS / "scale.py"))
    assert f"| {found['TOKENS_PER_SECOND']:,.0f} |" in PAGE
    found["arithmetic"]()
    printed = capsys.readouterr().out
    rows = re.findall(r"^\| (\d+) \| (\d+) \|(.* %\) \|)$", (DOCS / "scale.md").read_text(), re.MULTILINE)
    assert [int(gpus) for gpus, *_ in rows] == [2, 4, 8, 16, 32, 64]
    for gpus, megabytes, told in rows:
        (line,) = re.findall(rf"^ +{gpus} +{megabytes} (.*)", printed, re.MULTILINE)
        speeds = re.findall(r"([\d.]+) M tokens/s +(\d+ %)", line)
        assert [each for each in re.findall(r"([\d.]+) \((\d+ %)\)", told) if each not in speeds] == []
