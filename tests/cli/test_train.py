"""attnlab train: a run's folder, how it goes on after a stop, and what is said when something is wrong."""

import json
import os
import shutil
import signal

import pytest
from safetensors.torch import load_file

from attnlab.errors import ArgumentError, either
from attnlab.runs.checkpoints import checkpoints
from attnlab.runs.folder import Run, open_run
from attnlab.settings import read, write
from attnlab.text.settings import TOKENS
from attnlab.training.language.config import Config
from attnlab.training.language.recipes import RECIPES, recipe_for

TEXT = "".join(f"{n} and {n * n % 97} make {n + n * n % 97}.\n" for n in range(300))
SHAPE = "--model.layers 1 --model.heads 2 --model.width 16 --model.context 16"
TINY = f"{SHAPE} --batch 4 --precision float32".split()
SCORES = ["nats_per_token", "perplexity", "bits_per_byte", "unknown"]


@pytest.fixture(autouse=True)
def _text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.txt").write_text(TEXT)


def train(run, *options: str):
    return run("train", "text.txt", *TINY, "--validate-every", "12", "--steps", "24", *options)


def test_a_run_holds_all_that_happened(run, tmp_path):
    found = train(run, "--out", "a", "--plot", "curve.svg", "--sample-every", "20", "--json").json
    assert list(found)[:5] == ["run", "parameters", "steps", "seconds", "tokens_per_second"]
    assert list(found)[-1] == "validation"
    assert list(found["validation"]) == list(found["test"]) == SCORES
    assert (found["run"], found["steps"]) == ("a", 24)
    names = {path.name for path in (tmp_path / "a").iterdir()}
    assert names == {"config.json", "metrics.jsonl", "tokenizer.json", "checkpoints", "curves.svg", "result.json"}
    assert open_run(tmp_path / "a").result() == found
    metrics = open_run(tmp_path / "a").metrics()
    assert [each["step"] for each in metrics if "loss" in each] == [10, 12, 20, 24]
    assert [each["step"] for each in metrics if "validation" in each] == [12, 24]
    assert [each["step"] for each in metrics if "sample" in each] == [20]
    assert "learning curve" in (tmp_path / "curve.svg").read_text()
    config = open_run(tmp_path / "a").config()
    assert open_run(tmp_path / "a").settings(Config).training.steps == 24
    assert config["training"]["device"] == "cpu"
    assert "latents" not in config["model"]  # which only a perceiver has
    assert config["data"]["name"] == "text.txt"
    assert len(config["data"]["sha256"]) == 64


def test_what_a_person_is_told(run):
    lines = train(run, "--out", "a").out.splitlines()
    assert " parameters, 24 steps in " in lines[0]
    assert lines[1].startswith("validation: ")
    assert lines[2].startswith("test (not used to pick the checkpoint): ")
    assert lines[3] == "the run is in a; let it write: attnlab sample a"


def test_a_run_that_was_stopped_goes_on_as_if_it_had_not_been(run, tmp_path, monkeypatch):
    train(run, "--out", "unbroken", "--model.dropout", "0.1")
    real = Run.append

    def append(self, measured):
        real(self, measured)
        if measured["step"] == 10:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Run, "append", append)
    ran = train(run, "--out", "stopped", "--model.dropout", "0.1")
    assert (ran.code, ran.out) == (130, "")
    step = int(ran.err.split()[3].rstrip(";"))
    assert step in (10, 11)
    assert ran.err.startswith(f"stopped at step {step}; to continue: attnlab train --resume stopped\n")
    monkeypatch.setattr(Run, "append", real)
    shutil.copytree("stopped", "copy")
    ran = run("train", "--resume", "stopped", "--json")
    assert ran.json["steps"] == 24
    left, right = (checkpoints(tmp_path / name / "checkpoints")[-1] for name in ("unbroken", "stopped"))
    assert left.notes["sha256"] == right.notes["sha256"]  # bit for bit
    assert left.notes["validation"] == right.notes["validation"]
    steps = [each["step"] for each in open_run(tmp_path / "stopped").metrics() if "validation" in each]
    assert steps == [12, 24]

    told = run("train", "--resume", "stopped", "--json")
    assert (told.code, json.loads(told.out)) == (0, ran.json)
    assert told.err == (
        "attnlab: stopped is finished already: nothing is left to train; to train longer, start a new run with more "
        "--steps\n"
    )
    said = run("train", "--resume", "copy", "--steps", "50").refusal
    assert said.startswith("attnlab train: --resume: takes no other arguments: write only --resume copy;")
    (tmp_path / "text.txt").write_text(TEXT + "more\n")
    said = run("train", "--resume", "copy").refusal
    assert said.startswith("attnlab train: copy: the text text.txt has changed since the run started; restore the old")
    (tmp_path / "text.txt").write_text(TEXT)
    (checkpoint,) = (tmp_path / "copy" / "checkpoints").glob("*.safetensors")
    checkpoint.write_bytes(checkpoint.read_bytes()[:100])
    said = run("train", "--resume", "copy").refusal
    assert said.endswith("the checkpoint is damaged: its bytes differ from those that were written")


def test_a_run_that_diverges_says_when_and_what_is_left(run, tmp_path):
    said = train(run, "--out", "a", "--rate", "10", "--muon-rate", "10", "--clip", "0", "--steps", "400").refusal
    assert said.startswith("attnlab train: training diverged at step ")
    assert "the last good checkpoint is a/checkpoints/step-" in said or "there is no checkpoint yet" in said
    assert all(load_file(each.path) for each in checkpoints(tmp_path / "a" / "checkpoints"))


def test_without_a_part_to_report_on_nothing_is_picked(run, tmp_path, monkeypatch):
    from attnlab.benches.language import texts
    from attnlab.data.texts.loading import Text, load_text

    def two_parts(name):
        whole = load_text(name)
        return Text(whole.name, whole.source, "two parts", {k: v for k, v in whole.parts.items() if k != "test"})

    monkeypatch.setattr(texts, "load_text", two_parts)
    found = train(run, "--out", "a", "--json").json
    assert found["test"] is None
    assert found["checkpoint"] == "a/checkpoints/step-00000024.safetensors"
    assert all("validation_nats" not in each.notes for each in checkpoints(tmp_path / "a" / "checkpoints"))


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ("--model ngram --tokens words --tokens.lower --tokens.vocabulary 50", "words"),
        ("--model ngram --tokens bytes --model.order 2", "bytes"),
        ("--model bigram --tokens characters --steps 3", "characters"),
        ("--model bigram --steps 3 --model.dim 4 --model.train-vectors false", "characters"),
        ("--model recurrent --model.width 8 --model.cell lstm --steps 3 --tokens byte-pairs --tokens.vocabulary 270",
         "byte-pairs"),
        ("--recipe quick-recurrent --model.width 8 --steps 3 --optimiser muon --averaging 0.1", "characters"),
    ],
)  # fmt: skip
def test_models_and_tokens_go_together(run, tmp_path, options, kind):
    found = run("train", "text.txt", *options.split(), "--out", "a", "--json").json
    assert found["parameters"] > 0
    assert found["validation"]["bits_per_byte"] > 0
    assert open_run(tmp_path / "a").config()["tokens"]["kind"] == kind
    written = run("sample", "a", "--length", "5", "--json").json
    assert len(written["ids"]) == 5


@pytest.mark.parametrize("model", ["ngram", "transformer"])
def test_a_large_text_is_read_from_a_file_of_tokens_and_nothing_changes(run, tmp_path, monkeypatch, model):
    from attnlab.benches.language import texts

    options = ["--model", model, *([*TINY, "--steps", "12"] if model == "transformer" else [])]
    small = run("train", "text.txt", *options, "--out", "small", "--json").json
    monkeypatch.setattr(texts, "LARGE", 100)
    large = run("train", "text.txt", *options, "--out", "large", "--json").json
    assert small["validation"] == large["validation"]
    assert {path.name for path in (tmp_path / "large" / "tokens").iterdir()} >= {"train.bin", "train.json"}


def test_bits_per_byte_spell_unknown_words_out(run, tmp_path):
    (tmp_path / "text.txt").write_text("to be or not to be " * 50 + "xyzzy " * 20)
    found = run("train", "text.txt", "--model", "ngram", "--tokens", "words", "--out", "a", "--json").json
    assert found["test"]["unknown"] == 1
    assert found["test"]["bits_per_byte"] > 1
    lines = run("train", "text.txt", "--model", "ngram", "--tokens", "words", "--out", "b").out
    assert "  100.00 % of the tokens are unknown words; bits per byte include their spelling\n" in lines
    assert ">" not in run("runs", ".").out
    bytes_found = run("train", "text.txt", "--model", "ngram", "--tokens", "bytes", "--out", "c", "--json").json
    assert bytes_found["test"]["unknown"] == 0


def test_0_minutes_are_no_limit(run, tmp_path):
    planned = run("train", "text.txt", *TINY, "--dry-run", "--json").json["training"]
    assert run("train", "text.txt", *TINY, "--minutes", "0", "--dry-run", "--json").json["training"] == planned
    assert planned["steps"] > 0


def test_minutes_replace_the_steps(run, tmp_path):
    found = run("train", "text.txt", *TINY, "--minutes", "0.01", "--out", "a", "--json").json
    assert 0.6 <= found["seconds"] < 20
    config = open_run(tmp_path / "a").config()["training"]
    assert (config["steps"], config["minutes"]) == (0, 0.01)


def test_a_run_without_a_name_is_named_after_the_time(run):
    names = [run("train", "text.txt", "--model", "ngram", "--json").json["run"] for _ in range(2)]
    assert all(name.startswith("runs/train-2") for name in names)
    assert names[0] != names[1]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--model foo", "--model: expected ngram, bigram, recurrent or transformer; got 'foo'"),
        ("--tokens foo", "--tokens: expected characters, bytes, words or byte-pairs; got 'foo'"),
        ("--recipe foo", f"--recipe: expected {either(RECIPES)}; got 'foo'"),
        ("--model.layers x", "--model.layers: expected a whole number, got 'x'"),
        ("--model.layers", "--model.layers: expected a whole number, got ''"),
        ("--model.layer 3", "--model.layer: there is no such setting; expected layers, heads, width, context, "
         "positions, norm, activation, qk_norm, qk_gain, bias, tied, dropout"),
        ("--model ngram --model.discount x", "--model.discount: there is no such setting; expected order, discounts, "
         "sentences; did you mean discounts?"),
        ("--model ngram --model.layers 3", "--model.layers: there is no such setting; expected order, discounts"),
        ("--model.norm batch", "--model.norm: expected rms or layer; got 'batch'"),
        ("--model.tied maybe", "--model.tied: expected true or false, got 'maybe'"),
        ("--tokens.vocabulary 9", "--tokens.vocabulary: there is no such setting"),
        ("--tokens byte-pairs --tokens.vocabulary 9",
         "--tokens.vocabulary: expected at least 256 tokens, one for each byte"),
        ("--rate 20", "--rate: expected a number from 1e-09 to 10, got 20; try 10"),
        ("--rate", "--rate: expected a value"),
        ("--steps -1", "--steps: expected a whole number from 0 to 1,000,000,000,000, got -1; try 0"),
        ("--model bigram --batch 8", "--batch: a model of kind bigram does not use this option: its training uses "
         "steps, rate, penalty, vector_penalty, seed"),
        ("--model bigram --minutes 1", "--minutes: a model of kind bigram does not use this option"),
        ("--recipe quick --model bigram --optimiser adamw", "--optimiser: a model of kind bigram does not use"),
        ("--model ngram --rate 0.1", "--rate: a model of kind ngram does not use this option: it only counts, so its "
         "training has no options"),
        ("--penalty 1", "--penalty: a model of kind transformer does not use this option"),
        ("--optimiser adamw --muon-rate 0.1", "--muon-rate: this option is not used with optimiser adamw; use it "
         "with optimiser muon"),
        ("--model.latents 8", "--model.latents: this option is not used with mixer dot-product; use it with mixer "
         "perceiver"),
        ("--model.mixer synthesizer --model.qk-norm no", "--model.qk-norm: this option is not used with mixer "
         "synthesizer; use it with mixer dot-product, sink, smeared or perceiver"),
        ("--steps x", "--steps: expected a whole number, got 'x'"),
        ("--device cuda", "--device: cuda needs a GPU that torch can use; this machine has none; use cpu or auto"),
        ("--precision float8", "--precision: float8 needs an NVIDIA GPU of the Hopper generation or later; use"),
        ("--model recurrent --precision float8", "--precision: float8 is for Transformers; use bfloat16"),
        ("--model.context 100000", "--model.context: expected less than the text's "),
        ("--plot a.gif", "--plot: expected a file that ends in .png, .svg or .html, got 'a.gif'"),
        ("--out text.txt", "text.txt: expected a new or empty folder for the run"),
        ("--resume nowhere", "nowhere: there is no such folder; expected the folder of a run"),
    ],
)  # fmt: skip
def test_refusals(run, tmp_path, line, message):
    text = () if "--resume" in line else ("text.txt",)
    said = run("train", *text, *line.split()).refusal
    assert said.startswith(f"attnlab train: {message}")
    assert not (tmp_path / "runs").exists()


def test_help_lists_the_options_of_every_model_and_all_recipes(run):
    said = run("train", "--help").out
    for option in ("--model.order", "--model.dim", "--model.cell", "--model.heads", "--tokens.lower", "--muon-rate"):
        assert option in said
    for name in (*RECIPES, *TOKENS):
        assert name in said


@pytest.mark.parametrize("name", RECIPES)
def test_recipes_are_complete_and_survive_json(name):
    config = RECIPES.find(name)
    assert read(Config, json.loads(json.dumps(write(config)))) == config
    assert RECIPES.about(name)


def test_a_configuration_that_is_wrong_is_refused():
    assert recipe_for("transformer") == "quick"
    good = write(RECIPES.find("quick"))
    for change, message in (
        ({"model": None}, "model: expected settings by name, got None"),
        ({"tokens": {"kind": "runes"}}, "tokens: expected characters, bytes, words or byte-pairs; got 'runes'"),
        ({"training": {"steps": 3}}, "training: expected settings with a kind, got {'steps': 3}"),
        (
            {"training": {"kind": "counts"}},
            "training.kind: expected batches for a model of kind transformer, got counts",
        ),
        ({"training": {"kind": "batches", "steps": "many"}}, "training.steps: expected a whole number, got 'many'"),
    ):
        with pytest.raises(ArgumentError) as refused:
            read(Config, good | change)
        assert str(refused.value) == message


def test_a_finished_run_whose_measurements_are_gone_has_no_curves(run, tmp_path):
    for folder, options in (("a", ""), ("b", "--seeds 2")):
        assert run(*f"train text.txt --model bigram --steps 4 {options} --out {folder}".split()).code == 0
        for each in (tmp_path / folder).rglob("metrics.jsonl"):
            each.unlink()
        (tmp_path / folder / "curves.svg").unlink()
        ran = run("train", "--resume", folder)
        assert ran.code == 0
        assert "plot" not in ran.out + ran.err
        assert "nats" in ran.out
        assert not (tmp_path / folder / "curves.svg").exists()
    assert ran.err == ""


def test_a_finished_run_whose_measurements_are_damaged_is_one_line(run, tmp_path):
    assert run("train", "text.txt", "--model", "ngram", "--out", "a").code == 0
    line = '{"step": 3, "validation": {"nats_per_token": "low", "perplexity": null}}\n'
    with (tmp_path / "a" / "metrics.jsonl").open("a") as file:
        file.write(line)
    expected = "a/metrics.jsonl, line 2: expected a finite number as validation.nats_per_token, got 'low'"
    assert run("train", "--resume", "a").refusal == f"attnlab train: {expected}"
    assert f"damaged: {expected}" in run("runs", ".").out


@pytest.mark.parametrize("length", ["0", "1000000001", "1" * 30])
def test_a_length_that_no_model_can_write_is_refused(run, length):
    run(*["train", "text.txt", "--model", "ngram", "--out", "a"])
    for more in ([], ["--json"], ["--probabilities"]):
        refusal = run("sample", "a", "--length", length, *more).refusal
        assert refusal.startswith("attnlab sample: --length: expected a whole number from 1 to 1,000,000,000, got ")
