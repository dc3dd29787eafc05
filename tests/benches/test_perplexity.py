"""The perplexity bench from Python: models measured, compared, explained and audited, by names or as objects."""

import csv
import itertools
import json
import math
import re
import sys
from pathlib import Path

import pytest
import torch

from attnlab.benches.language import LanguageModel, open_model, train
from attnlab.benches.language.configuring import configure
from attnlab.benches.perplexity import GivenText, MeasureSettings, audit, measuring, perplexity
from attnlab.data.texts.loading import load_text
from attnlab.errors import ArgumentError, FileError
from attnlab.evaluation.audit import HARD_TEXT
from attnlab.evaluation.explanation import words as words_module
from attnlab.evaluation.scoring.costs import Policy
from attnlab.evaluation.scoring.measures import measure
from attnlab.evaluation.scoring.predictors import NetworkPredictor
from attnlab.evaluation.scoring.subjects import Subject, subject_of
from attnlab.models.ngrams.ngram import NGram
from attnlab.text import train_tokenizer

TEXT = "The naïve cat sat on the mat, 3 times.\nThe dog sat, too; nobody knew why. 😀\n"
LOUD = "THE DOG SAT ON THE CAT 12 TIMES.\n" * 9
RUNS = {
    "words": ({"kind": "ngram", "order": 2}, {"kind": "words", "vocabulary": 12, "lower": True}, {}),
    "characters": ({"kind": "ngram", "order": 3}, {"kind": "characters"}, {}),
    "transformer": (
        {"kind": "transformer", "layers": 1, "heads": 1, "width": 8, "context": 16},
        {"kind": "characters"},
        {"steps": 2},
    ),
}

pytestmark = pytest.mark.usefixtures("as_installed", "there")


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> Path:
    """A run of words, one of characters and one of a Transformer, and texts."""
    folder = tmp_path_factory.mktemp("perplexity")
    (folder / "text.txt").write_text(TEXT * 30, encoding="utf-8")
    (folder / "long.txt").write_text(TEXT * 300, encoding="utf-8")
    (folder / "loud.txt").write_text(LOUD, encoding="utf-8")
    for name, (model, tokens, training) in RUNS.items():
        train(configure(str(folder / "text.txt"), "", model, tokens, training), folder / name)
    return folder


@pytest.fixture
def there(runs, monkeypatch):
    monkeypatch.chdir(runs)


def given(name: str = "m", order: int = 2) -> LanguageModel:
    """A model of bytes that no folder holds."""
    tokens = train_tokenizer("bytes", "")
    return LanguageModel(name, subject_of(name, NGram.fit(tokens.encode(TEXT).ids, 256, order), tokens))


@pytest.mark.parametrize(
    ("models", "texts", "settings"),
    [
        (["words", "transformer"], ["text.txt", "loud.txt"], None),
        (["transformer"], ["loud.txt"], MeasureSettings(context=8, stride=3, precision="bfloat16", device="cpu")),
        (["words", "characters"], ["loud.txt"], MeasureSettings(explain=True, preprocess=("lower", "numbers"))),
        (["characters"], ["loud.txt", "text.txt"], MeasureSettings(explain=True, force=True)),
        (["words", "characters", "transformer"], ["loud.txt"], MeasureSettings(explain=True)),
    ],
)
def test_the_command_of_a_comparison_measures_the_same_again(models, texts, settings, again):
    found = perplexity(models, texts, settings)
    assert again(found) == json.loads(json.dumps(found.to_dict()))
    assert found.holds


def test_what_it_measures_is_what_measure_finds():
    found = perplexity(["characters", "transformer"], "loud.txt")
    assert (found.models, found.texts) == (["characters", "transformer"], ["loud.txt"])
    for each, policies in zip(found.measured, ([Policy(2, 2)], [Policy(16, 16), Policy(16, 8)]), strict=True):
        subject = open_model(each.model).subject
        assert [measured.bits_per_byte for measured in each.measures] == [
            measure(subject, LOUD, policy).bits_per_byte for policy in policies
        ]


@pytest.fixture
def slowing(monkeypatch):
    """A clock that runs ever more slowly: of any two things that the lab times, the second seems to be faster."""
    times = itertools.accumulate(10.0 ** (9 - number) for number in itertools.count())
    for name, module in [*sys.modules.items()]:
        if name.startswith("attnlab.") and hasattr(module, "perf_counter"):
            monkeypatch.setattr(module, "perf_counter", lambda: next(times))


@pytest.mark.parametrize("clock", [None, "slowing"])
def test_training_and_measuring_give_one_score_whatever_a_clock_says(tmp_path, clock, again, request):
    config = configure("long.txt", "", *RUNS["transformer"])
    run = tmp_path / "run"
    noted = json.loads((train(config, run).path / "result.json").read_text())["validation"]["bits_per_byte"]
    held_out = tmp_path / "held-out.txt"
    held_out.write_bytes("".join(load_text("long.txt").pieces("validation")).encode())
    if clock:
        request.getfixturevalue(clock)
    found = [perplexity(model, held_out) for model in (str(run), open_model(str(run)), str(run))]
    scores = [each.measured[0].measures[0].bits_per_byte.value for each in found]
    assert len(set(scores)) == 1
    assert math.isclose(scores[0], noted, rel_tol=1e-12)
    assert [each.measured[0].precision for each in found] == ["float32"] * 3
    assert again(found[0])["measured"][0]["measures"][0]["bits_per_byte"]["value"] == scores[0]


def test_models_and_texts_can_be_given_as_they_are():
    by_name = perplexity("characters", "loud.txt")
    model = open_model("characters")
    by_object = perplexity([model], [GivenText(LOUD, "loud.txt")])
    assert by_object.to_dict() == by_name.to_dict()
    assert by_name.command == "attnlab perplexity characters --text loud.txt"
    written = r" > (given-loud-[0-9a-f]{8}\.txt) && attnlab perplexity characters --text \1$"
    assert re.search(written, by_object.command)
    assert 'text=al.GivenText("' in by_object.python
    mine = perplexity(LanguageModel("mine", model.subject), GivenText(LOUD))
    assert (mine.models, mine.texts) == (["mine"], ["text"])
    assert mine.measured[0].certificate.model == "mine"


def test_a_name_that_comes_twice_is_measured_once():
    found = perplexity(["characters", Path("characters")], ["loud.txt", Path("loud.txt")])
    assert len(found.measured) == 1


def test_a_text_that_looks_easier_only_for_its_unknown_words_is_told(tmp_path):
    strange = GivenText("Qx zv wj kp ybf gq xx vrr.\n" * 9, "strange")
    known = GivenText("too sat knew mat cat the on dog.\n" * 9, "known")
    found = perplexity("words", [strange, known], MeasureSettings(explain=True))
    easy, hard = (each.measures[0] for each in found.measured)
    assert easy.perplexity.value < hard.perplexity.value
    assert easy.spelled_perplexity.value > hard.spelled_perplexity.value
    said = "strange looks easier for words than known ("
    assert said in repr(found)
    assert said in found.save(tmp_path / "page.html").read_text()
    assert "looks easier" not in repr(perplexity("characters", [strange, known]))


@pytest.mark.parametrize("models", [["characters"], ["words", "transformer"]])
def test_the_page_tells_what_was_expected_instead(models, tmp_path):
    found = perplexity(models, GivenText(TEXT), MeasureSettings(explain=True))
    page = found.save(tmp_path / "page.html").read_text()
    assert found.expecting is not None
    assert found.explained is not None
    for name, letter, costs, expected in zip(models, "ab", found.explained.costs, found.expecting(40), strict=False):
        tokenizer, met = open_model(name).tokenizer, 0
        for id, nats, here in zip(costs.encoding.ids.tolist(), costs.nats.tolist(), expected, strict=False):
            probability = dict(here).get(tokenizer.decode([id]))
            if probability is not None:
                met += 1
                assert probability == pytest.approx(math.exp(-nats), rel=1e-3)
            elif here:
                assert math.exp(-nats) <= min(p for _, p in here) + 1e-6
        assert met
        assert page.count(f"data-e{letter}=") > 10
    assert "expected: ${expected}" in page


def test_passages_are_two_texts(tmp_path, monkeypatch):
    (tmp_path / "passages").mkdir()
    for name in ("shakespeare", "wikipedia"):
        (tmp_path / "passages" / f"{name}_for_perplexity.txt").write_text(f"The {name} cat sat.\n" * 5)
    monkeypatch.setenv("ATTNLAB_DATA", str(tmp_path))
    found = perplexity("characters", "passages")
    assert found.short_texts == ["shakespeare_for_perplexity.txt", "wikipedia_for_perplexity.txt"]
    (tmp_path / "passages" / "wikipedia_for_perplexity.txt").unlink()
    with pytest.raises(ArgumentError, match="passages: not on this machine: it cannot be downloaded; put passages/"):
        perplexity("characters", "passages")


def test_a_named_text_is_the_part_held_out_for_reports():
    from attnlab.data.texts.loading import load_text

    (measured,) = perplexity(given(), "topics").measured
    assert measured.measures[0].raw_bytes == load_text("topics").size("test")


def test_an_observer_sees_each_part_of_the_work(watcher):
    settings = MeasureSettings(explain=True, preprocess=("lower",))
    found = perplexity("transformer", "loud.txt", settings, watcher)
    assert watcher.tasks == [
        "auditing transformer on loud.txt",
        "transformer on loud.txt",
        "recounting transformer on loud.txt",
        "preprocessing",
        "explaining",
    ]
    measure = found.measured[0].measures[0]
    # The bytes that are audited, disjoint and strided windows, a trial, and one explanation
    assert sum(watcher.done) == measure.raw_bytes + 2 * measure.tokens + 1 + measure.tokens
    audit("transformer", "loud.txt", watcher)
    assert watcher.tasks[-1] == "auditing transformer"


def test_a_comparison_is_shown_drawn_and_saved(tmp_path):
    found = perplexity(["words", "transformer"], "loud.txt")
    assert repr(found).startswith("loud.txt: 297 bytes, 297 characters, 72 words\n")
    assert "<table>" in found._repr_html_()
    assert found.plot().to_dict()["layer"]
    rows = list(csv.DictReader(found.save(tmp_path / "rows.csv").read_text().splitlines()))
    assert [(row["model"], row["text"], row["stride"]) for row in rows] == [
        ("words", "loud.txt", "1"),
        ("transformer", "loud.txt", "16"),
        ("transformer", "loud.txt", "8"),
    ]
    value = found.measured[0].measures[0].bits_per_byte.value
    assert float(rows[0]["bits_per_byte"]) == value
    assert json.loads(found.save(tmp_path / "all.json").read_text()) == json.loads(json.dumps(found.to_dict()))
    assert "loud.txt: 297 bytes" in found.save(tmp_path / "page.html").read_text()


def test_an_explained_comparison_is_a_waterfall_and_a_page_of_surprise(tmp_path):
    found = perplexity(["words", "characters"], "loud.txt", MeasureSettings(explain=True))
    assert found.gap is not None
    assert found.account is None
    assert len(found.plot().to_dict()["hconcat"]) == 2
    assert "How words and characters predict loud.txt" in found.save(tmp_path / "page.html").read_text()
    (cells,) = found.cells()
    assert "".join(each.text for each in cells) == LOUD
    bits = [sum(each.bits[at] + each.charged[at] for each in cells) for at in (0, 1)]
    expected = [each.measures[0].bits_per_byte.value * len(LOUD) for each in found.measured]
    assert bits == pytest.approx(expected)
    assert len(found.cells(5)[0]) == 5
    one = perplexity("words", "loud.txt", MeasureSettings(explain=True))
    assert one.account is not None
    assert one.plot().to_dict()["layer"]  # a bar: one measurement has no gap
    assert perplexity("words", "loud.txt").cells() == []


def test_three_models_are_explained_pair_by_pair_after_an_overview(tmp_path):
    names = ["words", "characters", "transformer"]
    found = perplexity(names, "loud.txt", MeasureSettings(explain=True))
    value = {each.model: each.measures[0].bits_per_byte.value for each in found.measured}
    best, middle, worst = sorted(names, key=lambda name: value[name])
    pairs = [(middle, best), (worst, middle), (worst, best)]
    assert [(each.first.name, each.second.name) for each in found.gaps] == pairs
    assert [each.bits_per_byte for each in found.gaps] == pytest.approx([value[one] - value[two] for one, two in pairs])
    assert (found.gap, found.account) == (None, None)
    assert found.to_dict()["explained"]["ranked"] == [best, middle, worst]
    said = repr(found)
    headings = [
        said.index("what each step is worth"),
        *(said.index(f"why {one} and {two} differ") for one, two in pairs),
    ]
    assert headings == sorted(headings)
    assert said.count("note: the training text") <= 1
    assert len(found.plot().to_dict()["vconcat"]) == 3
    assert found.save(tmp_path / "parts.svg").stat().st_size > 1000
    page = found.save(tmp_path / "page.html").read_text()
    assert f"How {' and '.join(names)} predict loud.txt" in page
    assert "<h2>What each step is worth</h2>" in page
    for number, (one, two) in enumerate(pairs):
        assert f"<h2>Why {one} and {two} differ</h2>" in page
        assert f"<h2>loud.txt: {one} and {two}</h2>" in page
        assert f'name="view{number}" value="d"> {one} minus {two}</label>' in page
    for costs, (one, two) in zip(found.cells(), pairs, strict=True):
        bits = [sum(each.bits[at] + each.charged[at] for each in costs) for at in (0, 1)]
        assert bits == pytest.approx([value[one] * len(LOUD), value[two] * len(LOUD)])


def test_the_best_model_comes_first_and_its_lead_is_for_this_kind_of_text_only_if_documents_tell():
    better, worse = given("better", 3), given("worse", 1)
    documents = "".join(f" = {number} = \n{TEXT * 3}{'Z' * (number * 5 % 7)}\n" for number in range(8))
    found = perplexity([worse, better], GivenText(documents))
    assert found.compared is not None
    (pair,) = found.compared
    assert (pair.better, pair.worse) == ("better", "worse")
    assert pair.saved.low is not None
    assert pair.saved.low > 0
    assert "better is better than worse on this kind of text: it saves " in repr(found)
    assert "95 % intervals for more text of this kind, from the differences between its 8 documents" in repr(found)
    alone = perplexity([worse, better], GivenText(TEXT * 30))
    assert "better is better than worse on this text: it saves " in repr(alone)
    assert "; this text alone cannot tell whether that holds for others of its kind" in repr(alone)
    assert "no intervals: nearby passages are alike, so " in repr(alone)
    same = perplexity([worse, LanguageModel("twin", worse.subject)], GivenText(documents))
    assert "worse and twin cost the same on this text" in repr(same)


def test_a_difference_takes_in_what_bfloat16_may_change(monkeypatch):
    monkeypatch.setattr(measuring, "rounding", lambda *_: 0.5)
    transformer = open_model("transformer").subject
    models = [LanguageModel("one", transformer), LanguageModel("two", transformer)]
    halved = perplexity(models, "text.txt", MeasureSettings(precision="bfloat16"))
    assert {each.precision for each in halved.measured} == {"bfloat16"}
    assert halved.compared is not None
    tokens_per_byte = halved.measured[0].measures[0].tokens / halved.measured[0].measures[0].raw_bytes
    assert halved.compared[0].rounding == pytest.approx(2 * 0.5 / math.log(2) * tokens_per_byte)
    assert "one and two cost the same on this text, as far as bfloat16 can tell" in repr(halved)


class Unfinished(NetworkPredictor):
    """A network that gives one token of all probability 0."""

    def __init__(self) -> None:
        def logits(ids: torch.Tensor, last: int) -> torch.Tensor:
            return torch.zeros(len(ids), last, 256).index_fill(2, torch.tensor([ord("z")]), -math.inf)

        super().__init__(logits, 4, 256, torch.device("cpu"))


@pytest.mark.parametrize("force", [False, True])
def test_an_unsound_number_is_kept_only_if_it_is_forced(force):
    subject = Subject("endless", train_tokenizer("bytes", ""), Unfinished())
    settings = MeasureSettings(force=force, preprocess=("lower",) if force else ())
    found = perplexity([LanguageModel("endless", subject), given()], GivenText("a zoo " * 40), settings)
    endless, sound = found.measured
    assert not found.holds
    assert bool(endless.measures) is force
    assert sound.measures
    assert (found.compared is not None) is force
    value = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert (value["measured"][0]["measures"] is not None) is force
    assert ("compared" in value) is force
    assert ("preprocessed" in value) is force
    assert "endless" not in json.dumps(found.plot().to_dict())
    assert "endless: normalised failed: " in repr(found)
    assert ("gives a token of the text probability 0" in repr(found)) is force


@pytest.mark.parametrize(
    ("models", "texts", "settings", "message"),
    [
        ([], "loud.txt", {}, "models: expected at least one model"),
        ("words", [], {}, "text: expected at least one text"),
        (["words", "characters"], ["loud.txt", "text.txt"], {"explain": True}, "explain: expected one text with any"),
        ("words", GivenText(""), {}, "text: text: the text is empty"),
        ("words", GivenText(" \n "), {}, "text: text: expected at least one word"),
        ("words", GivenText("\ud800"), {}, "text: expected text that UTF-8 can encode"),
        ("words", [GivenText("a"), GivenText("b")], {}, "text: expected texts with different names, got two texts"),
        ("words", ["text", GivenText("b")], {}, "text: expected texts with different names, got two texts called"),
        ("transformer", "loud.txt", {"context": 17}, "context: the model sees at most 16 tokens at once; got 17"),
        (
            "transformer",
            "loud.txt",
            {"stride": 17},
            "stride: expected at most the 16 tokens of the context window; got 17",
        ),
    ],
)
def test_what_cannot_be_measured_is_named(models, texts, settings, message):
    with pytest.raises(ArgumentError) as raised:
        perplexity(models, texts, MeasureSettings(**settings))
    assert str(raised.value).startswith(message)


def test_models_of_one_name_are_told_apart():
    with pytest.raises(ArgumentError, match="models: expected models with different names, got two models called 'm'"):
        perplexity([given(), given()], GivenText("a"))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"context": 0}, "context: expected a whole number of at least 1, got 0; try 1"),
        ({"stride": -1}, "stride: expected a whole number of at least 1, got -1; try 1"),
        ({"precision": "float16"}, "precision: expected float32 or bfloat16; got 'float16'"),
        ({"device": "tpu"}, "device: expected auto, cpu or cuda; got 'tpu'"),
        ({"preprocess": ("lowercase",)}, "preprocess: expected lower, "),
    ],
)
def test_settings_that_cannot_be_are_named(values, message):
    with pytest.raises(ArgumentError) as raised:
        MeasureSettings(**values)
    assert str(raised.value).startswith(message)


def test_a_text_that_is_too_large_to_be_explained_is_named_before_it_is_measured(monkeypatch, watcher):
    from attnlab.benches.perplexity import texts

    monkeypatch.setattr(texts, "LARGEST", 100)
    for settings in (MeasureSettings(explain=True), MeasureSettings(preprocess=("lower",))):
        with pytest.raises(FileError, match=r"loud.txt: expected at most 100 bytes for preprocessing and expl"):
            perplexity("words", "loud.txt", settings, watcher)
    assert watcher.tasks == []
    assert words_module.LARGEST > 100
    assert perplexity("words", "loud.txt").holds


@pytest.mark.parametrize("text", [None, "loud.txt"])
def test_the_command_of_an_audit_gives_the_same_certificate(text, again):
    found = audit("transformer", text)
    assert again(found) == json.loads(json.dumps(found.to_dict()))
    assert found.sound
    assert found.holds
    size = len((LOUD if text else HARD_TEXT).encode())
    assert found.certificate.ledger.file_bytes == size


def test_an_audit_is_shown_and_saved(tmp_path):
    found = audit(given(), GivenText(LOUD, "loud"))
    assert repr(found).splitlines()[-1] == "sound: every check passed"
    assert re.search(r" > (given-loud-[0-9a-f]{8}\.txt) && attnlab audit m --text \1$", found.command)
    rows = list(csv.DictReader(found.save(tmp_path / "rows.csv").read_text().splitlines()))
    assert [row["passed"] for row in rows] == ["True"] * 7
    with pytest.raises(ArgumentError, match="this result has no chart"):
        found.plot()


def test_an_audit_that_fails_does_not_hold():
    found = audit(LanguageModel("endless", Subject("endless", train_tokenizer("bytes", ""), Unfinished())))
    assert not found.holds
    assert "unsound: normalised" in repr(found)


@pytest.mark.parametrize(("model", "text"), [("nowhere", None), ("words", "nowhere.txt"), ("words", ".")])
def test_what_is_not_there_is_named(model, text):
    with pytest.raises(FileError):
        audit(model, text)
