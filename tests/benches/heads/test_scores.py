"""The scores of heads as a bench gives them: records, texts, the command line, and what cannot be scored."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from attnlab.benches.heads.opening import known_tokens, open_model_heads
from attnlab.benches.heads.scores import HeadScores, score
from attnlab.benches.language import LanguageModel, train
from attnlab.benches.language.configuring import configure
from attnlab.benches.perplexity import GivenText
from attnlab.cli import main
from attnlab.errors import ArgumentError, FileError
from attnlab.evaluation.heads.measures import MEASURES
from attnlab.evaluation.heads.settings import ScoreSettings
from attnlab.evaluation.scoring.subjects import subject_of
from attnlab.models.kinds import make_model
from attnlab.models.ngrams.ngram import NGram
from attnlab.models.recurrent import RecurrentConfig
from attnlab.models.transformer import Transformer, TransformerConfig
from attnlab.text import train_tokenizer

TEXT = "".join(f"{n} and {n * n % 97} make {n + n * n % 97}.\n" for n in range(300))
SIZES = {"layers": 2, "heads": 2, "width": 16, "context": 16}
SHAPE = TransformerConfig(layers=2, heads=2, width=16, context=16)

pytestmark = pytest.mark.usefixtures("as_installed", "there")


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> Path:
    """A run of characters, and a short text beside it."""
    folder = tmp_path_factory.mktemp("heads")
    (folder / "text.txt").write_text(TEXT)
    (folder / "other.txt").write_text("10 and 10 make 20.\n" * 9)
    train(
        configure(str(folder / "text.txt"), "", {"kind": "transformer", **SIZES}, {"kind": "characters"}, {"steps": 2}),
        folder / "run",
    )
    return folder


@pytest.fixture
def there(runs, monkeypatch):
    monkeypatch.chdir(runs)


def given(model, name: str = "given") -> LanguageModel:
    return LanguageModel(name, subject_of(name, model, train_tokenizer("bytes", "")))


@pytest.mark.parametrize(
    ("text", "settings"),
    [(None, None), ("other.txt", ScoreSettings(tokens=50, seed=3, device="cpu")), (None, ScoreSettings(explain=True))],
)
def test_the_command_scores_the_same_again(text, settings, again):
    found = score("run", text, settings)
    assert again(found) == json.loads(json.dumps(found.to_dict()))


def test_without_a_text_the_held_out_part_of_its_own_is_read():
    found = score("run")
    assert found.own_text
    assert found.text.endswith("text.txt")
    assert found.command == "attnlab heads run"
    assert found.tokens == found.found.windows * 16 <= len(TEXT) / 10 + 16


def test_the_record_knows_its_heads_and_measures(tmp_path):
    found = score("run")
    assert (found.layers, found.places, len(found.heads)) == (2, 2, 4)
    assert found["1.0"] is found[1, 0] is found.heads[2]
    with pytest.raises(ArgumentError, match=r"^head: there is no head 2\.0; the model's heads are 0\.0 to 1\.1"):
        found["2.0"]
    assert [each.key for each in found.measures] == list(MEASURES)
    value = found.to_dict()
    assert value["heads"][3]["head"] == "1.1"
    assert value["measures"]["induction"]["range"] == "0 to 1"
    assert value["measures"]["copying_eigenvalues"]["range"] == "−1 to 1"
    assert value["measures"]["distance"]["range"] == "0 to the window's length − 1"


def test_models_and_texts_given_in_python():
    model = given(make_model(SHAPE, 256, seed=1), "mine")
    found = score(model, GivenText("To be, or not to be. " * 9, "be"))
    assert re.search(r" > (given-be-[0-9a-f]{8}\.txt) && attnlab heads mine --text \1$", found.command)
    with pytest.raises(
        ArgumentError, match=r"^text: expected a file or the name of a text .* mine was trained on is not"
    ):
        score(model)


def test_random_tokens_leave_out_blank_and_unknown_ones(monkeypatch):
    opened = open_model_heads("run")
    found = opened.subject.tokenizer.decode(known_tokens(opened).numpy())
    assert sorted(found) == sorted(set(TEXT) - {" ", "\n"})
    bytes_of = open_model_heads(given(opened.subject.predictor.module))
    assert known_tokens(bytes_of).max() < opened.inside.size < 256  # the tokenizer has more tokens than the model
    monkeypatch.setattr("attnlab.benches.heads.opening.SAMPLE", 5)
    assert len(known_tokens(opened)) <= 5


def test_what_cannot_be_scored_is_said_in_one_line():
    tokens = train_tokenizer("bytes", "").encode(TEXT).ids
    refused = {
        "model: given is an n-gram model, which has no attention; expected a Transformer": given(
            NGram.fit(tokens, 256, 2)
        ),
        "model: given is a recurrent model, which has no attention; expected a Transformer": given(
            make_model(RecurrentConfig(width=8), 256)
        ),
    }
    for message, model in refused.items():
        with pytest.raises(ArgumentError) as error:
            score(model, "other.txt")
        assert str(error.value) == message
    with pytest.raises(ArgumentError, match=r"^text: text: the text has 1 token; expected at least 2: a head needs a"):
        score("run", GivenText("1"))
    with pytest.raises(FileError, match="no such file"):
        score("run", "missing.txt")
    with pytest.raises(ArgumentError, match="tokens: expected a whole number of at least 2, got 1; try 2"):
        ScoreSettings(tokens=1)


def test_a_two_token_text_has_scores_without_intervals():
    found = score("run", GivenText("12"))
    assert (found.found.windows, found.found.length) == (1, 2)
    assert found["0.0"].scores["previous"].low is None
    assert "scores without an interval give no names" in repr(found)


def test_progress_is_told(watcher):
    score("run", "other.txt", observer=watcher)
    assert watcher.tasks == ["heads of run"]
    assert sum(watcher.done) > 0


def test_the_terminal_fits_in_100_columns_and_explains_on_demand(capsys):
    assert main(["heads", "run"]) == 0
    shown = capsys.readouterr().out.splitlines()
    table = shown[1:9]
    assert table[0].split() == [
        "head", "name", "previous", "self", "first", "duplicate", "induction", "control", "entropy", "copies"
    ]  # fmt: skip
    assert max(map(len, table)) <= 100
    assert "chance" in table[6]
    assert not any("source: " in line for line in shown)
    assert main(["heads", "run", "--explain"]) == 0
    explained = capsys.readouterr().out
    for measure in MEASURES.values():
        assert measure.about in explained
        assert measure.formula in explained
    assert explained.count("source: ") == len(MEASURES)


def test_the_page_has_every_head_measure_and_definition_and_no_script(tmp_path):
    found: HeadScores = score("run")
    page = found.save(tmp_path / "page.html").read_text()
    assert "<script" not in page
    assert page.count("<details") == len(MEASURES)
    assert page.count('class="map"') == len(MEASURES)
    assert page.count("<td style=") == 2 * 4 * len(MEASURES)
    for each in found.heads:
        assert f"{each.head}: induction {each.scores['induction'].value:.2f} (" in page
    chart = found.plot().to_dict()
    maps = [panel for row in chart["vconcat"] for panel in row["hconcat"]]
    assert [each["title"].partition(" ")[0] for each in maps] == [
        "previous", "self", "first", "duplicate", "induction", "copies"
    ]  # fmt: skip


def test_the_csv_has_a_row_for_each_head(tmp_path):
    header, *rows = score("run").save(tmp_path / "scores.csv").read_text().splitlines()
    assert header.startswith("head,names,previous,previous_low,previous_high,previous_chance,self,")
    assert [row.partition(",")[0] for row in rows] == ["0.0", "0.1", "1.0", "1.1"]


def test_a_model_of_a_short_context_says_why_there_is_no_induction():
    short = given(make_model(replace(SHAPE, context=6), 256, seed=1))
    shown = repr(score(short, GivenText(TEXT)))
    assert "no induction and duplicate scores: they need a context and a vocabulary of at least 8 tokens" in shown
    assert "induction  " not in shown.splitlines()[1]


def test_a_head_made_to_look_at_the_previous_token_gets_its_name():
    """Learned positions that turn into keys and queries of a pattern: position i's query is position i − 1's key."""
    shape = TransformerConfig(
        layers=1, heads=1, width=32, context=16, positions="learned", qk_norm=False, attention_only=True
    )
    model = make_model(shape, 256, seed=1)
    assert isinstance(model, Transformer)
    with torch.no_grad():
        model.embedding.weight.zero_()
        model.get_parameter("position.weight").copy_(torch.eye(32)[:16])
        qkv = model.get_parameter("blocks.0.mixer.qkv.weight")
        qkv.zero_()
        qkv[:32] = torch.eye(32).roll(-1, 0) * 10  # the query of position i is the direction of position i − 1
        qkv[32:64] = torch.eye(32) * 10
    found = score(given(model), GivenText(TEXT))
    assert found["0.0"].names == ("previous token",)
    assert found["0.0"].scores["previous"].value > 0.99
    assert "previous token: 0.0" in repr(found)
