"""Inside a model: what its routes answer, and what they refuse."""

import json
import re
import shlex
import shutil
from base64 import b64decode
from importlib.resources import files
from pathlib import Path
from zlib import decompress

import numpy as np
import pytest
from starlette.testclient import TestClient
from tests.studio.conftest import asking

import attnlab as al
from attnlab.benches.heads.theory import HeadTheory, Reached
from attnlab.cli import main
from attnlab.evaluation.heads.theory.scales import Scale
from attnlab.evaluation.heads.theory.sinks import Sink
from attnlab.evaluation.heads.theory.spread import Spread
from attnlab.evaluation.scoring.intervals import Estimate
from attnlab.models.lens import Head
from attnlab.progress import SILENT
from attnlab.report.heads.theory.spread import spread_sentence
from attnlab.report.perplexity import shades
from attnlab.studio.work import WORK

GOLDEN = Path(__file__).parents[1] / "golden"
TEXT = "to be or not to"
SMALL = "runs/transformer"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("inside")
    for name in ("transformer", "words", "ngram"):
        shutil.copytree(GOLDEN / name, made / "runs" / name)
    shutil.copytree(GOLDEN / "people-known", made / "runs" / "people")
    return made


@pytest.fixture
def client(folder: Path, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.chdir(folder)
    return asking(folder)


def ask(client: TestClient, path: str, **body):
    return client.post(f"/api/inside/{path}", json=body)


def test_models_are_the_runs_of_the_folder(client):
    told = client.get("/api/inside/models").json()
    assert told[0]["name"] != "runs/people", "first come models that have a text of their own"
    found = {each["name"]: each["about"] for each in told}
    assert found[SMALL] == "transformer, text.txt"
    assert set(found) == {SMALL, "runs/words", "runs/ngram", "runs/people"}


def test_a_score_is_that_of_the_bench(client):
    told = ask(client, "score", model=SMALL, text=TEXT).json()
    assert set(told) == {"record", "shades", "legend", "context", "command", "python"}
    found = al.open(SMALL).score(TEXT)
    assert told["record"]["bits_per_byte"] == pytest.approx(found.bits_per_byte)
    assert told["shades"] == [shades.shade(each.bits) for each in found.tokens]
    assert told["command"] == f"attnlab score {SMALL} '{TEXT}'"
    assert told["python"] == f'import attnlab as al\nal.open("{SMALL}").score("{TEXT}")'


def test_the_page_the_command_and_python_tell_the_same_numbers_exactly(client, capsys):
    for model in (SMALL, "runs/words", "runs/ngram"):
        told = ask(client, "score", model=model, text=TEXT).json()
        words = shlex.split(told["command"])
        capsys.readouterr()
        assert main([*words[1:], "--json"]) == 0
        printed = json.loads(capsys.readouterr().out)
        python = json.loads(json.dumps(eval(told["python"].partition("\n")[2], {"al": al}).to_dict()))
        assert told["record"] == printed == python
        assert main(words[1:]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[0].startswith(f"{printed['bits_per_byte']:.4f} bits per byte, ")
        rows = [line.split() for line in lines if line[:1].isdigit()][1:]
        assert [(row[0], row[-1]) for row in rows] == [
            (str(place), f"{each['bits']:.2f}") for place, each in enumerate(printed["tokens"])
        ]


def test_parts_of_characters_can_be_told(client):
    told = ask(client, "score", model=SMALL, text="né 🙂").json()
    assert "�" in [each["text"] for each in told["record"]["tokens"]]


def test_two_models_on_one_text(client):
    told = ask(client, "compare", models=[SMALL, "runs/words"], text=TEXT).json()
    assert "".join(each["text"] for each in told["cells"]) == TEXT
    for place, record in enumerate(told["records"]):
        total = sum(each["bits"][place] for each in told["cells"])
        assert total / len(TEXT) == pytest.approx(record["bits_per_byte"])
    found = eval(told["python"].partition("\n")[2], {"al": al})
    for cell, shown in zip(found.cells()[0], told["cells"], strict=True):
        assert shown["bits"] == pytest.approx([a + b for a, b in zip(cell.bits, cell.charged, strict=True)])
    assert told["command"] == found.command


def test_the_weights_of_a_head_are_those_of_the_bench(client):
    told = ask(client, "look", model=SMALL, text=TEXT).json()
    assert (told["heads"], told["layers"], told["places"]) == (["0.0"], 1, 1)
    head = ask(client, "head", model=SMALL, text=TEXT, head="0.0").json()
    count = len(told["tokens"])
    logits = np.frombuffer(decompress(b64decode(head["weights"]))[8 * count :], "<f4")
    np.testing.assert_allclose(logits, al.heads.look(SMALL, TEXT).pattern("0.0").past, rtol=1e-5, atol=1e-6)
    assert head["command"] == f"attnlab heads look {SMALL} '{TEXT}'"
    assert ask(client, "shape", model=SMALL).json() == {"layers": 1, "heads": 1}
    assert "export { showHeads };" in client.get("/api/heads_map.js").text


def test_a_model_writes_what_the_bench_writes(client):
    told = ask(client, "write", model=SMALL, prompt="to", length=12, seed=4)
    assert told.headers["content-type"].startswith("text/event-stream")
    first, *pieces, last = [json.loads(each.removeprefix("data: ")) for each in told.text.strip().split("\n\n")]
    assert first["command"] == f"attnlab sample {SMALL} --prompt to --length 12 --probabilities --seed 4"
    assert first["python"].endswith('.sample(prompt="to", length=12, probabilities=True, seed=4)')
    again = eval(first["python"].partition("\n")[2], {"al": al}).to_dict()
    assert [each["probability"] for each in again["pieces"]] == [each["probability"] for each in pieces]
    assert "".join(each["text"] for each in pieces) == al.open(SMALL).sample("to", 12, seed=4).text
    assert last == {"done": True}


def test_files_of_the_score_and_of_a_head(client):
    assert ask(client, "save", model=SMALL, text=TEXT, ending=".csv").text.startswith("text,bits,probability")
    assert "Head" in ask(client, "save", model=SMALL, text=TEXT, ending=".html", head="0.0").text


@pytest.mark.parametrize(
    ("path", "body", "error"),
    [
        ("score", {"text": ""}, "text: the text is empty"),
        ("score", {"text": "a" * 300_000}, "text: string should have at most 200000 characters"),
        (
            "score",
            {"text": "a b " * 2000},
            "text: the text has 8,000 tokens; expected at most 1,024: give a shorter text",
        ),
        ("score", {"text": 3}, "text: input should be a valid string"),
        ("score", {"model": "../..", "text": "a"}, "../..: is outside the folder of the studio"),
        ("score", {"model": "hf:gpt2", "text": "a"}, "gpt2: there is no such"),
        ("score", {"model": "runs", "text": "a"}, "runs: expected the folder of a run"),
        ("look", {"text": "a" * 17}, "text: the text has 17 tokens; runs/transformer sees at most 16 at once"),
        ("look", {"model": "runs/ngram", "text": "ab"}, "model: runs/ngram is an n-gram model, which has no attention"),
        ("head", {"text": "ab", "head": "3.3"}, "head: expected a head that was looked at, 0.0; got '3.3'"),
        ("off", {"heads": []}, "heads: expected at least one head, such as 0.1"),
        ("off", {"heads": ["0.1"]}, "head: there is no head 0.1"),
        ("off", {"heads": ["0.0"], "text": "/etc/passwd"}, "/etc/passwd: is outside the folder of the studio"),
        ("theory", {"head": "0.1"}, "head: there is no head 0.1"),
        ("theory", {"model": "runs/ngram"}, "model: runs/ngram is an n-gram model, which has no attention"),
        ("scores", {"model": "runs/words"}, "model: runs/words is an n-gram model, which has no attention"),
        ("write", {"length": 0}, "length: expected 1 to 1,000 tokens, got 0"),
        ("write", {"top_p": 2}, "top_p: "),
        ("compare", {"models": [SMALL], "text": "a"}, "models: list should have at least 2 items"),
        ("save", {"text": "ab", "ending": ".exe"}, "ending: "),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(client, path, body, error):
    answer = ask(client, path, **{"model": SMALL, **body})
    assert answer.status_code == 400
    assert error in answer.json()["error"]
    assert "\n" not in answer.json()["error"]


@pytest.mark.parametrize("body", ['"text": "\\ud800"', '"text": "ab", "temperature": NaN', '"prompt": "\\udfff"'])
def test_half_a_character_and_nan_are_refused(client, body):
    path = "score" if "text" in body and "NaN" not in body else "write"
    headers = {"content-type": "application/json"}
    answer = client.post(f"/api/inside/{path}", content=f'{{"model": "{SMALL}", {body}}}', headers=headers)
    assert answer.status_code == 400
    assert "\n" not in answer.json()["error"]


def test_a_model_is_opened_once_and_again_when_it_changes(client, folder):
    models = client.app.state.models  # pyright: ignore
    with models.using(SMALL) as (first,), models.using(SMALL) as (second,):
        assert first is second
    (folder / SMALL / "checkpoints" / "new").touch()
    with models.using(SMALL) as (third,):
        assert third is not first
    (folder / SMALL / "checkpoints" / "new").unlink()


def test_a_head_is_held_against_the_theory(client, folder):
    shutil.copy(GOLDEN / "text.txt", folder)
    found = WORK["head-theory"]({"model": SMALL, "text": "", "head": "0.0"}, SILENT)
    assert [head["head"] for head in found.record.to_dict()["heads"]] == ["0.0"]
    assert found.record.python == f'import attnlab as al\nal.heads.theory("{SMALL}", head="0.0")'
    assert found.record.command == f"attnlab heads theory {SMALL} --head 0.0"
    assert found.beside["says"].startswith("All keys of head 0.0 have one length (QK-norm)")


def test_heads_that_are_off_together_have_an_interval_like_one_head(client, folder):
    shutil.copy(GOLDEN / "text.txt", folder)
    found = WORK["heads-off"]({"model": SMALL, "text": "", "heads": ["0.0"]}, SILENT)
    (head,) = found.record.to_dict()["heads"]
    assert found.beside["together"] == {"zero": head["zero"], "mean": head["mean"]}, "one head is all of them"


@pytest.mark.parametrize(
    ("ratio", "variation", "says"),
    [
        (Estimate(1.1), 0.2, "these lengths are noise"),
        (Estimate(3.0), 0.2, "it uses these lengths"),
        (Estimate(0.2), 0.2, "have only 0.200 times"),
        (None, 0.2, "so sharp that the exact law predicts no spread"),
        (None, 0.0, "All keys of head 1.2 have one length"),
    ],
)
def test_what_is_said_of_the_spread(ratio, variation, says):
    spread = Spread(0.1, 0.1, ratio, 0.0, 1.0)
    given = (Reached(0, 0, 0, 0, 0, 0, ""), Scale(1, None), Sink(0, 0, 0, 0, 0), Estimate(0.0))
    assert says in spread_sentence(HeadTheory(Head(1, 2), 4, 1.0, variation, spread, *given))


def test_the_shades_are_those_of_the_report():
    style = (files("attnlab.studio") / "static" / "style.css").read_text()
    found = re.findall(r"--([sl])\d: light-dark\((#\w+), (#\w+)\)", style)
    assert [each[1:] for each in found if each[0] == "s"] == [*zip(shades.LIGHT, shades.DARK, strict=True)]
    assert [each[1:] for each in found if each[0] == "l"] == [*zip(shades.BLUE_LIGHT, shades.BLUE_DARK, strict=True)]
