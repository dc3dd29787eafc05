"""attnlab classify: train, evaluate, predict, and what is said of bad input."""

import io
import sys

import pytest

from attnlab.cli.commands import COMMANDS

ROWS = [("pos", "A fine, fine film."), ("neg", "Dull and long."), ("pos", "So fine."), ("neg", "Too dull.")]


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.tsv").write_text("".join(f"{label}\t{text}\n" for label, text in ROWS * 15))
    return tmp_path / "table.tsv"


@pytest.fixture
def classifier(table, run):
    options = ("--batch", "8", "--rate", "0.01", "--model.dim", "8", "--epochs", "4")
    assert run("classify", "train", "table.tsv", *options, "--out", "mine", "--json").code == 0
    return "mine"


def test_train_evaluate_predict(run, classifier, tmp_path):
    told = run("classify", "evaluate", "mine", "table.tsv", "--json").json
    assert (told["accuracy"], told["macro_f1"], told["examples"], told["skipped"]) == (1.0, 1.0, 60, 0)
    assert 0 <= told["calibration_error"] <= 1
    shown = run("classify", "evaluate", "mine", "table.tsv").out
    assert "100.00 % of 60 texts" in shown
    (tmp_path / "lines.txt").write_bytes(b"So fine!\n\nzzz qqq\nd\xffll long\n")
    lines = [line.split("\t") for line in run("classify", "predict", "mine", "lines.txt").out.splitlines()]
    assert [line[2:] for line in lines] == [[], ["no words"], ["no known word among 2"], ["bytes that are not UTF-8"]]
    assert [lines[0][0], lines[3][0]] == ["pos", "neg"]
    assert all(0.5 <= float(line[1]) <= 1 for line in lines)


def test_texts_without_a_known_word_are_counted(run, classifier, tmp_path):
    assert run("classify", "evaluate", "mine", "table.tsv", "--json").json["without_known_words"] == 0
    assert "no known word" not in run("classify", "evaluate", "mine", "table.tsv").out
    (tmp_path / "new.tsv").write_text("pos\tzzz qqq\nneg\tToo dull.\npos\t…\nneg\tzzz dull\n", encoding="utf-8")
    assert run("classify", "evaluate", "mine", "new.tsv", "--json").json["without_known_words"] == 2
    shown = run("classify", "evaluate", "mine", "new.tsv").out
    assert "no known word      in 2 of 4 texts" in shown


def test_predict_reads_stdin_and_writes_json(run, classifier, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"fine\r\ndull")))
    told = run("classify", "predict", "mine", "--json").json
    assert told["classes"] == ["neg", "pos"]
    assert [each["label"] for each in told["predictions"]] == ["pos", "neg"]
    first = told["predictions"][0]
    assert (first["line"], first["words"], first["known_words"]) == (1, 1, 1)
    assert sum(first["probabilities"].values()) == pytest.approx(1)


def test_predict_takes_a_text_as_a_word_and_a_file_by_its_name(run, classifier, tmp_path):
    assert run("classify", "predict", "mine", "So fine, so fine!").out.startswith("pos\t0.")
    assert run("classify", "predict", "mine", "dull").out.startswith("neg\t0.")
    (tmp_path / "dull").write_text("so fine\n")
    assert run("classify", "predict", "mine", "dull").out.startswith("pos\t0.")
    assert run("classify", "predict", "mine", "fine " * 2000).out.startswith("pos\t")  # too long for a path
    empty = "attnlab classify predict: FILE | TEXT: expected a text or a file, got an empty word"
    assert run("classify", "predict", "mine", "").refusal == empty


def test_many_lines_are_answered_in_order(run, classifier, tmp_path):
    (tmp_path / "lines.txt").write_text("so fine\ntoo dull\n" * 300)
    lines = run("classify", "predict", "mine", "lines.txt").out.splitlines()
    assert [line.split("\t")[0] for line in lines] == ["pos", "neg"] * 300


def test_several_seeds_have_a_folder_each(run, table):
    told = run(
        "classify", "train", "table.tsv", "--seeds", "2", "--seed", "5", "--epochs", "1", "--out", "many", "--json"
    )
    assert [each["run"] for each in told.json["runs"]] == ["many/seed-5", "many/seed-6"]
    assert "validation_accuracy_deviation" in told.json
    assert run("classify", "evaluate", "many/seed-6", "table.tsv", "--json").json["examples"] == 60


def test_with_nothing_held_out_the_last_epoch_is_kept(run, table):
    options = ("--validation", "0", "--epochs", "4", "--out", "whole")
    told = run("classify", "train", "table.tsv", *options, "--json").json
    assert (told["texts"], told["validation_texts"], told["validation_accuracy"]) == (60, 0, None)
    assert told["runs"][0]["best"]["epoch"] == told["runs"][0]["epochs"] == 4
    assert run("classify", "evaluate", "whole", "table.tsv", "--json").json["examples"] == 60
    shown = run("classify", "train", "table.tsv", "--validation", "0", "--seeds", "2", "--out", "more").out
    assert "60 texts to train on, 0 held out" in shown
    assert "mean of" not in shown


def test_the_recipe_and_the_options_are_in_the_config(run, table, tmp_path):
    options = ("--recipe", "ngrams", "--features.ngrams", "3", "--features.buckets", "99", "--balance", "classes")
    assert run("classify", "train", "table.tsv", *options, "--out", "mine").code == 0
    from attnlab.runs.folder import open_run

    config = open_run(tmp_path / "mine").config()
    assert (config["features"]["ngrams"], config["features"]["buckets"], config["features"]["once"]) == (3, 99, True)
    assert (config["model"]["votes"], config["training"]["balance"], config["task"]) == ("bayes", "classes", "classify")
    assert "averaging" in run("runs", ".").out


def test_rows_that_are_skipped_are_counted_and_named(run, table):
    with table.open("ab") as file:
        file.write(b"pos\n" * 7 + b"neg\t\xff\n")
    ran = run("classify", "train", "table.tsv", "--epochs", "1", "--out", "mine")
    assert ran.code == 0
    assert "skipped 8 rows that cannot be used:" in ran.out
    assert "table.tsv, line 61: expected a label and a text, got 1 column" in ran.out
    assert "and 3 more" in ran.out
    told = run("classify", "evaluate", "mine", "table.tsv", "--json").json
    assert (told["skipped"], told["examples"], told["skipped_rows"][0]["place"]) == (8, 60, "table.tsv, line 61")


def test_odd_labels_are_shown_as_they_are(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "odd.csv").write_text('"[red]",fine\n"a\tb",dull\n"🙂",so\n' * 10)
    assert run("classify", "train", "odd.csv", "--epochs", "1", "--out", "mine").code == 0
    shown = run("classify", "evaluate", "mine", "odd.csv").out
    assert "[red]" in shown
    (tmp_path / "lines.txt").write_text("dull\n" * 3)
    assert all(len(line.split("\t")) == 2 for line in run("classify", "predict", "mine", "lines.txt").out.splitlines())


def test_no_terminal_obeys_a_label_and_every_chart_can_hold_it(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    odd = {"a\x1b[31mb": r"a\x1b[31mb", "c\u202ed": r"c\u202ed", "e\x01\uffff": r"e\x01\uffff"}
    rows = [f"{label}\tword{number} film\n" for number, label in enumerate(odd)]
    (tmp_path / "odd.tsv").write_text("".join(rows * 10), encoding="utf-8")
    (tmp_path / "wrong.tsv").write_text(rows[0].replace("word0", "word1"), encoding="utf-8")
    train = run("classify", "train", "odd.tsv", "--rate", "0.01", "--epochs", "9", "--out", "mine")
    evaluate = run("classify", "evaluate", "mine", "odd.tsv", "--plot", "chart.svg")
    explain = run("classify", "explain", "mine", "--text", "word1 film")
    errors = run("classify", "explain", "mine", "wrong.tsv", "--html", "page.html")
    for ran, labels in ((train, odd), (evaluate, odd), (explain, ["c\u202ed"]), (errors, ["a\x1b[31mb", "c\u202ed"])):
        assert ran.code == 0
        assert all(line.isprintable() for line in ran.out.split("\n"))
        assert all(odd[label] in ran.out for label in labels)
    for name in ("chart.svg", "page.html"):
        drawn = (tmp_path / name).read_text(encoding="utf-8")
        assert r"a\x1b[31mb" in drawn
        assert "\x1b" not in drawn
        assert "\u202e" not in drawn


CLASSIFY = "attnlab classify"
HELP = "attnlab classify --help explains them"
PARTS = " or ".join(name for name in COMMANDS if name.startswith("classify "))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", f"attnlab: expected {PARTS}; {HELP}"),
        ("trian", f"attnlab: expected {PARTS}, got 'trian'; {HELP}"),
        ("train none.tsv", f"{CLASSIFY} train: none.tsv: there is no such file or folder; expected a file, a folder or "
         "a name: imdb or reviews"),
        ("train one.tsv", f"{CLASSIFY} train: one.tsv: expected at least two classes, got 'pos' alone"),
        ("train table.tsv --validation 1", f"{CLASSIFY} train: --validation: expected a share from 0 to below 1, "
         "such as 0.1; got 1.0"),
        ("train table.tsv --seeds 0", f"{CLASSIFY} train: --seeds: expected a whole number from 1 to 1,000, "
         "got 0; try 1"),
        ("train table.tsv --seed 2147483647 --seeds 3 --out mine3", f"{CLASSIFY} train: --seeds: 3 seeds from "
         "2147483647 on: expected a whole number from 0 to 2,147,483,648, got 2147483649"),
        ("train table.tsv --epochs 0", f"{CLASSIFY} train: --epochs: expected a whole number from 1 to 1,000,000, "
         "got 0; try 1"),
        ("train table.tsv --recipe x", f"{CLASSIFY} train: --recipe: expected words or ngrams; got 'x'"),
        ("train table.tsv --model.dim x", f"{CLASSIFY} train: --model.dim: expected a whole number, got 'x'"),
        ("train table.tsv --model.dim 0", f"{CLASSIFY} train: --model.dim: a network without vectors needs "
         "votes: set --model.dim above 0, or --model.votes bayes"),
        ("train table.tsv --features.x 1", f"{CLASSIFY} train: --features.x: there is no such setting; expected "
         "vocabulary, ngrams, buckets, once, lower, numbers"),
        ("train table.tsv --vectors none.txt", f"{CLASSIFY} train: none.txt: there is no such file"),
        ("train table.tsv --recipe ngrams --vectors none.txt", f"{CLASSIFY} train: --vectors: expected a model with "
         "word vectors, got one without: set --model.dim above 0"),
        ("train table.tsv --out full", f"{CLASSIFY} train: full: expected a new or empty folder for the run; "
         "--resume continues an old one"),
        ("evaluate mine other.tsv", f"{CLASSIFY} evaluate: other.tsv, line 1: expected a class that the classifier "
         "knows, neg, pos; got 'odd'"),
        ("evaluate full table.tsv", f"{CLASSIFY} evaluate: full: expected the folder of a run, with a config.json "
         "in it"),
        ("predict mine none.txt", f"{CLASSIFY} predict: none.txt: there is no such file"),
        ("predict mine lines/none", f"{CLASSIFY} predict: lines/none: there is no such file"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(run, classifier, tmp_path, line, message):
    (tmp_path / "one.tsv").write_text("pos\tfine\npos\tgood\n")
    (tmp_path / "other.tsv").write_text("odd\tfine\n")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("here")
    assert run("classify", *line.split()).refusal == message


def test_what_cannot_begin_leaves_no_folder(run, table, tmp_path):
    assert run("classify", "train", "table.tsv", "--vectors", "none.txt", "--out", "mine").code == 2
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize("line", ["sample mine", "perplexity mine --text table.tsv", "audit mine"])
def test_a_classifier_is_no_language_model(run, classifier, line):
    assert "got the run of a classifier; open it with attnlab classify" in run(*line.split()).refusal


def test_a_language_model_is_no_classifier(run, table):
    assert run("train", "table.tsv", "--model", "ngram", "--out", "text", "--json").code == 0
    for line in (["evaluate", "text", "table.tsv"], ["predict", "text", "table.tsv"]):
        said = "text: expected the run of a classifier, got the run of a language model; open it with attnlab sample"
        assert run("classify", *line).refusal == f"attnlab classify {line[0]}: {said}"


def test_help_of_the_parts(run):
    ran = run("classify", "--help")
    assert (ran.code, ran.err) == (0, "")
    assert all(f"  classify {part} " in ran.out for part in ("train", "evaluate", "predict"))
    assert "--model.word-dropout" in run("classify", "train", "--help").out


def test_a_finished_classifier_is_trained_longer_by_epochs(run, classifier):
    told = run("classify", "train", "--resume", classifier).err
    assert told.endswith("nothing is left to train; to train longer, start a new run with more --epochs\n")
