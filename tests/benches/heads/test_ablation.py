"""What heads are worth, from Python and the command line: the record, its command, and bad input."""

import json
import math

import pytest

from attnlab.benches.heads.ablation import AblationCurve, ablate
from attnlab.benches.language import train
from attnlab.benches.language.configuring import configure
from attnlab.benches.perplexity import GivenText, perplexity
from attnlab.cli import main
from attnlab.errors import ArgumentError
from attnlab.evaluation.heads.settings import AblationSettings
from attnlab.evaluation.scoring.intervals import Estimate
from attnlab.models.transformer_config import TransformerConfig

TEXT = "".join(f"{n} and {n * n % 97} make {n + n * n % 97}.\n" for n in range(300))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a text, a tiny run on it, and a bigram model."""
    path = tmp_path_factory.mktemp("ablation")
    (path / "text.txt").write_text(TEXT)
    (path / "short.txt").write_text("7 and 49 make 56.\n" * 20)
    (path / "one.txt").write_text("7")
    shape = TransformerConfig(layers=2, heads=2, width=16, context=16)
    how = {"steps": 40, "batch": 8, "validate_every": 20, "precision": "float32"}
    text = str(path / "text.txt")
    train(configure(text, model=shape, training=how), path / "run")
    train(configure(text, model="bigram", training={"steps": 2}), path / "bigram")
    return path


@pytest.fixture(autouse=True)
def here(folder, monkeypatch, as_installed):
    monkeypatch.chdir(folder)


@pytest.fixture(scope="module")
def found(folder):
    how = AblationSettings(pairs=True, frozen=True)
    return ablate(str(folder / "run"), str(folder / "short.txt"), settings=how)


def test_the_plain_number_is_that_of_perplexity(found):
    measured = perplexity("run", "short.txt").measured[0].measures[0]
    assert math.isclose(found.bits_per_byte, measured.bits_per_byte.value, rel_tol=1e-9)
    assert (found.tokens, found.raw_bytes) == (measured.tokens, measured.raw_bytes)


def test_every_head_pair_and_number_of_heads_is_there(found):
    assert [each.head for each in found.heads] == ["0.0", "0.1", "1.0", "1.1"]
    assert len(found.pairs) == 6
    for pair in found.pairs:
        alone = sum(found[head].zero.value for head in pair.heads)
        assert math.isclose(pair.both.value, alone + pair.interaction.value, abs_tol=1e-9)
    sizes = [abs(pair.interaction.value) for pair in found.pairs]
    assert sizes == sorted(sizes, reverse=True)
    zero, mean = found.curves
    assert (zero.by, mean.by) == ("zero", "mean")
    for curve, column in ((zero, "zero"), (mean, "mean")):
        worth = [getattr(found[head], column).value for head in curve.order]
        assert worth == sorted(worth)
        assert len(curve.bits_per_byte) == 5
        assert math.isclose(curve.bits_per_byte[0], found.bits_per_byte)
        assert math.isclose(curve.bits_per_byte[1], found.bits_per_byte + worth[0], abs_tol=1e-6)
    last = found["1.1"]
    assert math.isclose(last.frozen.value, last.zero.value, abs_tol=1e-6)  # no head comes after it


def test_the_first_heads_can_go_until_the_text_costs_more():
    assert AblationCurve("zero", ("0.0", "0.1"), (2.0, 1.99, 2.03), Estimate(0.03)).can_go == 1
    assert AblationCurve("zero", ("0.0", "0.1"), (2.0, 2.1, 2.0), Estimate(0.0)).can_go == 0
    assert AblationCurve("zero", ("0.0", "0.1"), (2.0, 2.0, 2.01), Estimate(0.01)).can_go == 2


def test_its_command_makes_it_again(found, again):
    value = again(found)
    assert value == json.loads(json.dumps(found.to_dict()))
    assert "--pairs --frozen" in found.command


def test_it_is_shown_and_saved(found, tmp_path):
    text = repr(found)
    assert "heads can go before the text costs 1 % more" in text
    assert "Spearman's ρ" in text
    assert "beyond the sum" in text
    assert found.save(tmp_path / "a.csv").read_text().startswith("head,zero,zero_low,zero_high,mean")
    assert "<table" in found.save(tmp_path / "a.html").read_text()
    assert found.plot().to_dict()["layer"]
    bars = ablate("run", "short.txt", settings=AblationSettings(heads=("0.1",), curve=False, tokens=60))
    assert (bars.curves, [each.head for each in bars.heads]) == ((), ["0.1"])
    assert bars.plot().to_dict()["layer"]


def test_the_mean_comes_from_the_reference_text(found, again):
    how = AblationSettings(curve=False, heads=("0.1",), tokens=100)
    own, other = ablate("run", "short.txt", settings=how), ablate("run", "short.txt", "text.txt", how)
    assert own["0.1"].zero == other["0.1"].zero
    assert own["0.1"].mean != other["0.1"].mean
    assert "--reference text.txt" in other.command
    given = ablate("run", GivenText("7 and 49 make 56.\n" * 5, "mine"), settings=how)
    assert given.command.startswith("printf %s ")
    assert again(given)["heads"] == json.loads(json.dumps(given.to_dict()))["heads"]
    assert ablate("run", settings=how).command.startswith("attnlab heads ablate run --tokens 100")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "--heads", "2.0"], "--heads: there is no head 2.0; the model's heads are 0.0 to 1.1"),
        (["run", "--heads", "first"], "--heads: expected LAYER.HEAD, counted from 0"),
        (["run", "--heads", "0.1", "--pairs"], "expected at least two heads for --pairs, got 1"),
        (["run", "--text", "one.txt"], "the text has 1 token; expected at least 2"),
        (["bigram"], "bigram is a bigram, which has no attention"),
        (["nowhere"], "there is no such run folder"),
    ],
)
def test_bad_input_is_one_line(words, said, capsys):
    assert main(["heads", "ablate", *words]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert said in lines[0]


def test_too_many_pairs_are_refused(monkeypatch):
    monkeypatch.setattr("attnlab.benches.heads.ablation.MOST_PAIRS", 5)
    with pytest.raises(ArgumentError, match=r"^heads: 4 heads have 6 pairs; expected at most 5: name fewer heads"):
        ablate("run", "short.txt", settings=AblationSettings(pairs=True))
