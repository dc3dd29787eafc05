"""What holds for every command: help with an example that runs, --json, and refusals of one line."""

import json
import shlex
import shutil

import pytest

from attnlab import __version__
from attnlab.cli import main
from attnlab.cli.commands import commands

COMMANDS = commands()
FILES = {
    "keys.csv": "1,0\n0,1\n-1,-1\n0,0\n",
    "a.csv": "1\n0\n",
    "b.csv": "1\n1\n",
    "lines.txt": "A fine film.\nDull, and too long.\n",
    "table.tsv": "pos\tA fine film.\nneg\tDull, and too long.\n" * 20,
    "notes.txt": "The cat sat on the dog, and the mat was too small.\n",
}

# For every command the quickest arguments that do something, and those that end in "it cannot be done".
QUICK = {
    "run": "--only perplexity",
    "claims": "perplexity-base",
    "studio": "--no-browser",
    "check": "copy 'q = C k_j'",
    "robustness": "--keys 3",
    "remedies": "--keys 2 --norm-variance 0 --heads 1",
    "weigh": "--keys keys.csv --queries=1,1 --mix 0=1 --norm-variance 0.5 --noisy 0",
    "design": "--keys keys.csv --copy 0",
    "extract": "--a a.csv --b b.csv",
    "construct": "--inputs 'x1 = a; x2 = b'",
    "data": "list",
    "train": "topics --model ngram --model.order 2",
    "recipes": "bigram",
    "sample": "first-run --length 5",
    "score": "first-run 'The cat'",
    "runs": ".",
    "perplexity": "first-run --text notes.txt",
    "audit": "first-run",
    "export": "gpt2-run --to for-others",
    "heads": "gpt2-run --text notes.txt",
    "heads look": "gpt2-run 'The cat'",
    "heads ablate": "gpt2-run --text notes.txt",
    "heads theory": "gpt2-run --text notes.txt --rows 5",
    "heads composition": "gpt2-run",
    "classify train": "table.tsv --epochs 1",
    "classify evaluate": "first-classifier table.tsv",
    "classify predict": "first-classifier lines.txt",
    "classify explain": "first-classifier table.tsv",
    "knowledge pretrain": "--people 10 --steps 2 --model.width 32",
    "knowledge finetune": "people-read --steps 2",
    "knowledge evaluate": "people-known",
    "knowledge thresholds": "people-known",
    "knowledge ask": "people-known 'Where was Ada Berg born?'",
    "knowledge people": "people-known",
    "knowledge run": "--people 12 --effort 0.001 --variants none --seeds 1",
}
IMPOSSIBLE = {
    "design": "--keys keys.csv --copy 3",
    "extract": "--a a.csv --b a.csv",
    "construct": "--inputs 'x1 = a; x2 = a' --wants 'c1 = a; c2 = 0'",
}


@pytest.fixture(scope="session")
def a_run(tmp_path_factory):
    """The folder of a small run."""
    folder = tmp_path_factory.mktemp("runs")
    (folder / "text.txt").write_text("The cat sat on the mat. The dog sat, too.\n" * 20)
    line = f"train {folder / 'text.txt'} --model ngram --out {folder / 'first-run'} --json"
    assert main(shlex.split(line)) == 0
    return folder / "first-run"


@pytest.fixture(scope="session")
def a_transformer(a_run):
    """The folder of a run that can be exported."""
    out = a_run.with_name("gpt2-run")
    shape = {
        "layers": 2,
        "heads": 1,
        "width": 8,
        "context": 8,
        "positions": "learned",
        "norm": "layer",
        "qk-norm": "no",
    }
    options = [word for name, value in shape.items() for word in (f"--model.{name}", str(value))]
    text = str(a_run.with_name("text.txt"))
    assert main(["train", text, "--model", "transformer", *options, "--steps", "2", "--out", str(out), "--json"]) == 0
    return out


@pytest.fixture(scope="session")
def a_classifier(a_run):
    """The folder of a classifier."""
    table, out = a_run.with_name("table.tsv"), a_run.with_name("first-classifier")
    table.write_text(FILES["table.tsv"])
    assert main(["classify", "train", str(table), "--epochs", "1", "--out", str(out), "--json"]) == 0
    return out


@pytest.fixture(scope="session")
def a_knower(a_run):
    """The folder of a model that was finetuned to answer questions; beside it, the one it was pretrained in."""
    read, known = (str(a_run.with_name(name)) for name in ("people-read", "people-known"))
    line = f"knowledge pretrain --people 20 --steps 5 --batch 8 --model.width 32 --out {read} --json"
    assert main(line.split()) == 0
    assert main(f"knowledge finetune {read} --steps 5 --batch 8 --out {known} --json".split()) == 0
    return a_run.with_name("people-known")


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch, a_run, a_transformer, a_classifier, a_knower):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("uvicorn.Server.run", press_ctrl_c)
    shutil.copytree(a_knower, tmp_path / "people-known")
    shutil.copytree(a_knower.with_name("people-read"), tmp_path / "people-read")
    shutil.copytree(a_classifier, tmp_path / "first-classifier")
    shutil.copytree(a_transformer, tmp_path / "gpt2-run")
    for name in ("first-run", "second-run"):
        shutil.copytree(a_run, tmp_path / name)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)


def press_ctrl_c(*_: object, **__: object) -> None:
    """What ends a server, at once."""
    raise KeyboardInterrupt


def example(name: str) -> str:
    """The example in a command's help."""
    (line,) = (line.strip() for line in (COMMANDS[name].__doc__ or "").splitlines() if "Example:" in line)
    assert line.startswith(f"Example: attnlab {name} ")
    return line.removeprefix("Example: ")


def test_every_command_is_tried_here():
    assert list(QUICK) == list(COMMANDS)


def test_help_lists_every_command(run):
    for arguments in (["--help"], ["-h"]):
        ran = run(*arguments)
        assert (ran.code, ran.err) == (0, "")
        assert ran.out.startswith(f"attnlab {__version__}: ")
        for name, command in COMMANDS.items():
            assert f"  {name} " in ran.out
            assert (command.__doc__ or "").splitlines()[0] in ran.out
        assert "\nExample: attnlab robustness --keys 10 --scale 5\n" in ran.out


def test_version(run):
    assert run("--version").out == f"attnlab {__version__}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_the_example_and_explains_every_option(run, name):
    ran = run(*name.split(), "--help")
    assert (ran.code, ran.err) == (0, "")
    assert example(name) in ran.out
    assert f"usage: attnlab {name} " in ran.out
    assert "--json" in ran.out
    assert "{None}" not in ran.out


@pytest.mark.parametrize(
    ("line", "defaults"),
    [
        ("train", {"layers": 3, "width": 128}),
        ("train --recipe shakespeare", {"layers": 6, "width": 384}),
        ("classify train --recipe ngrams", {"dim": 0, "votes": "bayes"}),
        ("knowledge pretrain", {"layers": 2, "width": 64}),
        ("knowledge pretrain --recipe coursework", {"heads": 8, "positions": "learned"}),
        ("knowledge finetune --recipe=recital", {"context": 256}),
        ("knowledge run --recipes views,recital", {"context": 128, "tied": "yes"}),
    ],
)
def test_help_has_the_defaults_of_the_recipe(run, line, defaults):
    lines = run(*line.split(), "--help").out.splitlines()
    for name, value in defaults.items():
        found = [each for each in lines if each.startswith(f"  --model.{name} ")]
        assert any(each.endswith(f"(default: {value})") for each in found)


def test_help_of_a_command_lists_the_longer_ones_that_begin_with_it(run):
    shown = run("heads", "--help").out
    longer = [name for name in COMMANDS if name.startswith("heads ")]
    assert longer
    assert shown.partition("\ncommands beside it:\n")[2].count("\n") == len(longer)
    for name in longer:
        assert f"  {name} " in shown
    assert "commands beside it" not in run("heads", "look", "--help").out
    assert "commands beside it" not in run("perplexity", "--help").out


def test_help_does_not_list_what_is_refused(run):
    shown = run("knowledge", "run", "--help").out
    assert "--training.steps " in shown
    assert "--training.seed" not in shown
    assert "--training.device" not in shown
    for option, value in (("--training.seed", "3"), ("--training.device", "cpu")):
        assert run("knowledge", "run", option, value).refusal.startswith(f"attnlab knowledge run: {option}: use ")


def test_help_of_a_command_with_a_required_argument_lists_its_settings(run):
    shown = run("perplexity", "--help").out
    assert "--context                     The context window: " in shown
    assert "(default: as many as it can, up to 4,096). Takes a whole number of at least 1\n" in shown
    assert "hf:FOLDER or hf:NAME" in shown


@pytest.mark.parametrize("name", COMMANDS)
def test_the_example_runs(run, name):
    ran = run(*shlex.split(example(name))[1:])
    assert (ran.code, ran.err) == (1 if name == "check" else 0, "")  # its example is a wrong answer, and what is right
    assert len(ran.out.splitlines()) > 1
    with pytest.raises(json.JSONDecodeError):
        json.loads(ran.out)


@pytest.mark.parametrize("name", COMMANDS)
def test_json_is_one_value_and_nothing_else(run, name):
    ran = run(*name.split(), *shlex.split(QUICK[name]), "--json")
    assert ran.code == 0
    assert isinstance(ran.json, dict)


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_what_cannot_be_done_is_exit_code_1_and_a_reason(run, name):
    arguments = shlex.split(IMPOSSIBLE[name])
    ran = run(*name.split(), *arguments, "--json")
    assert ran.code == 1
    assert ran.json["possible"] is False
    told = run(*name.split(), *arguments)
    assert (told.code, told.err) == (1, "")
    assert told.out.startswith(("no query does this: ", "no matrix does this: ", "no Q, K, V do this: "))
    assert ran.json["reason"] in told.out


@pytest.mark.parametrize("name", COMMANDS)
def test_an_unknown_option_is_named(run, name):
    ran = run(*name.split(), *shlex.split(QUICK[name]), "--bogus", "1")
    assert ran.refusal == f"attnlab {name}: unknown option --bogus 1; attnlab {name} --help lists the options"


HELP = "attnlab --help lists all commands"
EXPECTED = "attnlab: expected a command, "


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", f"{EXPECTED}such as attnlab robustness; {HELP}"),
        ("foo", f"{EXPECTED}got 'foo'; {HELP}"),
        ("robustnes --keys 3", f"attnlab: did you mean robustness? There is no command 'robustnes'; {HELP}"),
        ("--json", f"{EXPECTED}got '--json'; {HELP}"),
        ("Remedy", f"attnlab: did you mean remedies? There is no command 'Remedy'; {HELP}"),
        ("robustness --scal 5",
         "attnlab robustness: unknown option --scal 5 (did you mean --scale?); "
         "attnlab robustness --help lists the options"),
        ("heads look run words --text a.txt",
         "attnlab heads look: unknown option --text a.txt; attnlab heads look --help lists the options"),
        ("robustness --norm-v 5", "attnlab robustness: unknown option --norm-v 5 (did you mean --norm-variance?); "
         "attnlab robustness --help lists the options"),
        ("robustness --kesy=5 -head 2", "attnlab robustness: unknown option --kesy=5 -head 2 (did you mean --keys and "
         "--heads?); attnlab robustness --help lists the options"),
        ("train topics --heads 3 --vocabulary=9", "attnlab train: unknown option --heads 3 --vocabulary=9 "
         "(did you mean --model.heads and --tokens.vocabulary?); attnlab train --help lists the options"),
        ("design --kyes keys.csv --copy 0", "attnlab design: unknown option --kyes keys.csv (did you mean --keys?); "
         "expected --keys FILE; attnlab design --help explains"),
        ("design", "attnlab design: expected --keys FILE; attnlab design --help explains"),
        ("design --bogus 1",
         "attnlab design: unknown option --bogus 1; expected --keys FILE; attnlab design --help explains"),
        ("extract", "attnlab extract: expected --a, --b; attnlab extract --help explains"),
        ("extract --a a.csv", "attnlab extract: expected --b FILE; attnlab extract --help explains"),
        ("construct", "attnlab construct: expected --inputs SUMS; attnlab construct --help explains"),
        ("robustness --keys", "attnlab robustness: --keys: expected a value"),
        ("design --keys keys.csv --copy", "attnlab design: --copy: expected a value"),
        ("robustness --keys x", "attnlab robustness: --keys: expected a whole number, got 'x'"),
        ("robustness --keys 2.5", "attnlab robustness: --keys: expected a whole number, got '2.5'"),
        ("robustness --scale x", "attnlab robustness: --scale: expected a number, got 'x'"),
        ("remedies --heads x", "attnlab remedies: --heads: expected a whole number, got 'x'"),
        ("design --keys keys.csv --copy x", "attnlab design: --copy: expected a whole number, got 'x'"),
        ("design --keys keys.csv --norm x", "attnlab design: --norm: expected a number, got 'x'"),
        ("construct --inputs 'x1 = a' --beta x", "attnlab construct: --beta: expected a number, got 'x'"),
        ("robustness --method guess",
         "attnlab robustness: --method: expected auto, exact, quasi-monte-carlo or monte-carlo; got 'guess'"),
        ("robustness --quantiles ,",
         "attnlab robustness: --quantiles: expected a number, or several with commas between them; got ','"),
        ("robustness --json 1",
         "attnlab robustness: expected no further argument, got '1'; attnlab robustness --help lists the options"),
        ("robustness extra",
         "attnlab robustness: expected no further argument, got 'extra'; attnlab robustness --help lists the options"),
    ],
)  # fmt: skip
def test_a_command_line_that_cannot_be_read(run, line, message):
    assert run(*shlex.split(line)).refusal == message


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("train ''", "train: TEXT: expected the name of a text or a file, got an empty word"),
        ("sample ''", "sample: MODEL: expected the folder of a run, an ARPA file or hf:NAME, got an empty word"),
        ("perplexity counts --text ''", "perplexity: --text: expected the name of a text or a file, got an empty word"),
    ],
)
def test_an_empty_word_is_named_as_such(run, line, message):
    """It is neither the default nor the folder that the command runs in."""
    assert run(*shlex.split(line)).refusal == f"attnlab {message}"
