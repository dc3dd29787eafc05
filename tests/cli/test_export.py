"""attnlab export: what `transformers` opens scores the same, and what cannot be exported is named."""

import json
import shlex

import numpy as np
import pytest
import torch

from attnlab.cli import main
from attnlab.evaluation.scoring.costs import costs
from attnlab.evaluation.scoring.measures import measure
from attnlab.evaluation.scoring.subjects import open_subject

transformers = pytest.importorskip("transformers")

TEXT = "The naïve cat sat on the mat, 3,000 times. The dog sat, too. 😀\n"
SHAPE = (
    "--model transformer --model.layers 1 --model.heads 2 --model.width 16 --model.context 16 "
    "--model.positions learned --model.norm layer --model.qk-norm no --steps 3"
)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Runs that differ in their tokens, and some that cannot be exported."""
    folder = tmp_path_factory.mktemp("runs")
    (folder / "text.txt").write_text(TEXT * 30)
    for name, options in {
        "byte-pairs": f"{SHAPE} --tokens byte-pairs --tokens.vocabulary 300 --model.tied yes",
        "bytes": f"{SHAPE} --tokens bytes --model.bias yes",
        "characters": f"{SHAPE} --tokens characters --model.activation gelu",
        "words": f"{SHAPE} --tokens words",
        "few-words": f"{SHAPE} --tokens words --tokens.vocabulary 8",
        "lower": f"{SHAPE} --tokens words --tokens.lower yes",
        "rotary": "--model transformer --model.layers 1 --model.width 16 --model.heads 2 --model.context 16 --steps 3",
        "perceiver": "--model transformer --model.layers 1 --model.width 16 --model.mixer perceiver --steps 1",
        "ngram": "--model ngram",
        "counts": "--model ngram --tokens words",
    }.items():
        line = f"train {folder / 'text.txt'} {options} --out {folder / name} --json"
        assert main(shlex.split(line)) == 0
    return folder


@pytest.mark.parametrize("tokens", ["byte-pairs", "bytes", "characters", "words", "rotary"])
def test_transformers_opens_it_and_scores_the_same(run, runs, tmp_path, tokens):
    value = run("export", str(runs / tokens), "--to", str(tmp_path / "out"), "--json").json
    assert sorted(value["files"]) == sorted(path.name for path in (tmp_path / "out").iterdir())
    assert all((tmp_path / "out" / name).stat().st_size == size for name, size in value["files"].items())
    ours = costs(open_subject(str(runs / tokens)), TEXT)

    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "out")
    model, report = transformers.AutoModelForCausalLM.from_pretrained(tmp_path / "out", output_loading_info=True)
    assert not any(report.values())
    ids = tokenizer(TEXT + "<unk> unheard-of")["input_ids"]
    assert ids == open_subject(str(runs / tokens)).tokenizer.encode(TEXT + "<unk> unheard-of").ids.tolist()
    with torch.no_grad():
        logs = torch.log_softmax(model(torch.tensor([ids[:16]])).logits[0], -1)
    nats = -logs.gather(1, torch.tensor(ids[1:17])[:, None])[:, 0].numpy()
    np.testing.assert_allclose(nats, ours.nats[1:17], atol=1e-4)

    back = open_subject(f"hf:{tmp_path / 'out'}")
    again = costs(back, TEXT)
    np.testing.assert_allclose(again.nats, ours.nats, atol=1e-5)
    assert again.encoding.raw_bytes.tolist() == ours.encoding.raw_bytes.tolist()
    assert again.unknown.tolist() == ours.unknown.tolist()


@pytest.mark.parametrize("tokens", ["byte-pairs", "bytes", "characters", "words", "few-words"])
def test_a_run_and_its_export_have_one_number_that_compares(run, runs, tmp_path, tokens):
    assert run("export", str(runs / tokens), "--to", str(tmp_path / "out")).code == 0
    text = TEXT + "Ünheard-of words: Æ, <unk> & Ω.\n" + TEXT.upper()
    ours, theirs = (measure(open_subject(name), text) for name in (str(runs / tokens), f"hf:{tmp_path / 'out'}"))
    assert theirs.bits_per_byte.value == pytest.approx(ours.bits_per_byte.value, abs=1e-6)
    assert theirs.spelling_bits_per_byte == pytest.approx(ours.spelling_bits_per_byte)
    assert theirs.case_and_spaces_bits_per_byte == pytest.approx(ours.case_and_spaces_bits_per_byte)


def test_an_older_export_still_has_its_code_of_case_and_spaces(run, runs, tmp_path):
    assert run("export", str(runs / "words"), "--to", str(tmp_path / "out")).code == 0
    found = measure(open_subject(f"hf:{tmp_path / 'out'}"), TEXT).bits_per_byte
    (tmp_path / "out" / "attnlab_case_and_spaces.json").rename(tmp_path / "out" / "attnlab_surface.json")
    assert measure(open_subject(f"hf:{tmp_path / 'out'}"), TEXT).bits_per_byte == found
    (tmp_path / "out" / "attnlab_surface.json").unlink()
    assert measure(open_subject(f"hf:{tmp_path / 'out'}"), TEXT).bits_per_byte != found


def test_it_says_where_it_wrote_what(run, runs, tmp_path):
    ran = run("export", str(runs / "bytes"), "--to", str(tmp_path / "out"))
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert [line.partition(":")[0] for line in lines[:-1]] == [
        str(tmp_path / "out" / name)
        for name in ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")
    ]
    assert lines[-1].startswith("open it: transformers.AutoModelForCausalLM.from_pretrained(")
    assert json.loads((tmp_path / "out" / "config.json").read_text())["model_type"] == "gpt2"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("perceiver", "Persimmon's layout cannot hold mixer perceiver; train the model with "
         "--model.mixer dot-product"),
        ("ngram", "expected a transformer, got ngram; an n-gram model becomes a file: --to NAME.arpa"),
        ("lower", "the library `tokenizers` has no such setting; train with --tokens.lower no"),
    ],
)  # fmt: skip
def test_what_cannot_be_exported_is_named_and_nothing_is_written(run, runs, tmp_path, name, message):
    ran = run("export", str(runs / name), "--to", str(tmp_path / "out"))
    assert ran.refusal == f"attnlab export: {runs / name}: cannot be exported: {message}"
    assert not any(tmp_path.iterdir())


def test_a_folder_with_files_is_left_alone(run, runs, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    ran = run("export", str(runs / "bytes"), "--to", str(tmp_path))
    assert ran.refusal.endswith(f"{tmp_path}: expected a new or empty folder, got a folder with files in it")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    ran = run("export", str(runs / "bytes"), "--to", str(tmp_path / "mine.txt"))
    assert ran.refusal.endswith("mine.txt: expected a new or empty folder, got a file")


def test_a_file_with_content_is_left_alone(run, runs, tmp_path):
    path = tmp_path / "model.arpa"
    path.touch()
    assert run("export", str(runs / "counts"), "--to", str(path)).code == 0
    path.write_text("mine")
    ran = run("export", str(runs / "counts"), "--to", str(path))
    told = "expected a new or empty file, got a file with content; remove it or name another"
    assert ran.refusal == f"attnlab export: {path}: {told}"
    assert path.read_text() == "mine"


def test_no_run_and_no_folder(run, tmp_path):
    ran = run("export", str(tmp_path), "--to", str(tmp_path / "out"))
    assert ran.refusal == (
        f"attnlab export: {tmp_path}: expected the folder of a run, with a config.json in it; "
        f"the folder is empty: make a run first, for example: attnlab train TEXT --out {tmp_path}"
    )
    assert (
        run("export", str(tmp_path)).refusal
        == "attnlab export: expected --to FOLDER|FILE.arpa; attnlab export --help explains"
    )
