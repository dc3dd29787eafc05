"""attnlab perplexity: every unit for every model and text, or a refusal that says why."""

import math
import shlex
from pathlib import Path
from typing import Any

import pytest

from attnlab.cli import main
from attnlab.evaluation.audit import Certificate, Check

TEXT = "The naïve cat sat on the mat, 3 times.\nThe dog sat, too; nobody knew why. 😀\n"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A run of words, one of characters and one of a Transformer, and texts."""
    folder = tmp_path_factory.mktemp("perplexity")
    (folder / "text.txt").write_text(TEXT * 30, encoding="utf-8")
    plays = "".join(f" = Play {number} = \n{TEXT * 4}{'Z' * (number * 5 % 7)}\n" for number in range(9))
    (folder / "plays.txt").write_text(plays, encoding="utf-8")
    (folder / "short.txt").write_text("The dog sat on the cat.\n", encoding="utf-8")
    (folder / "loud.txt").write_text("THE DOG SAT ON THE CAT 12 TIMES.\n" * 9, encoding="utf-8")
    small = "--model transformer --model.layers 1 --model.heads 1 --model.width 8 --model.context 16 --steps 2"
    for name, options in {
        "words": "--model ngram --model.order 2 --tokens words --tokens.vocabulary 12 --tokens.lower yes",
        "characters": "--model ngram --tokens characters",
        "transformer": small,
    }.items():
        line = f"train {folder / 'text.txt'} {options} --out {folder / name} --json"
        assert main(shlex.split(line)) == 0
    return folder


@pytest.fixture
def there(runs, monkeypatch):
    monkeypatch.chdir(runs)


@pytest.mark.usefixtures("there")
def test_every_model_on_every_text(run):
    value = run("perplexity", "words", "transformer", "--text", "text.txt", "loud.txt", "--json").json
    assert [(each["model"], each["text"]) for each in value["measured"]] == [
        ("words", "text.txt"),
        ("transformer", "text.txt"),
        ("words", "loud.txt"),
        ("transformer", "loud.txt"),
    ]
    for each in value["measured"]:
        assert each["sound"]
        assert len(each["certificate"]["checks"]) >= 6
        for measure in each["measures"]:
            assert measure["raw_bytes"] == Path(each["text"]).stat().st_size
            bits = measure["bits_per_byte"]["value"] * measure["raw_bytes"]
            nats = math.log(measure["perplexity_spelled"]["value"]) * measure["tokens"]
            assert bits * math.log(2) == pytest.approx(nats)
    policies = [[(m["context"], m["stride"]) for m in each["measures"]] for each in value["measured"][:2]]
    assert policies == [[(1, 1)], [(16, 16), (16, 8)]]


@pytest.mark.usefixtures("there")
def test_what_a_person_reads(run):
    ran = run("perplexity", "words", "characters", "--text", "text.txt")
    assert ran.code == 0
    assert ran.out.startswith(
        f"text.txt: {len(TEXT.encode()) * 30:,} bytes, {len(TEXT) * 30:,} characters, 510 words\n"
    )
    assert "of the tokens stand for unknown words. The perplexity is\n" in ran.out
    for words in (
        "as the tokenizer counts it",
        "over known words only",
        "with unknown words spelled out; comparable across vocabularies",
        "only because the model need not spell out the words that it does not know, nor predict capitals and spaces",
    ):
        assert words in ran.out
    assert "characters is sound: causal, normalised, every byte counted once, first token" in ran.out
    assert "characters is better than words on this text: it saves " in ran.out
    assert (
        "of this text stands word for word in the training text of words: its numbers say little about new text"
        in ran.out
    )
    assert "sees 4 tokens" in ran.out


@pytest.mark.usefixtures("there")
def test_on_a_narrow_terminal_every_number_can_be_read(run, monkeypatch):
    from attnlab.cli import show

    monkeypatch.setattr(show, "NEVER_FOLDED", 80)
    line = ("perplexity", "words", "characters", "--text", "plays.txt")
    table = run(*line).out.partition("words: ")[0]
    (first, *_) = run(*line, "--json").json["measured"]
    for words in ("words", "characters", "sees 4", "perplexity", "bits/byte", f"{first['measures'][0]['tokens']:,}"):
        assert words in table
    assert table.count("(") == table.count(")") == 8  # four intervals of each model, and both of their ends
    assert max(map(len, table.splitlines()[1:])) <= 80


@pytest.mark.usefixtures("there")
def test_the_windows_can_be_chosen(run):
    value = run("perplexity", "transformer", "--text", "short.txt", "--context", "8", "--stride", "1", "--json").json
    assert [(m["context"], m["stride"]) for m in value["measured"][0]["measures"]] == [(8, 8), (8, 1)]


@pytest.mark.usefixtures("there")
def test_a_gap_is_explained_in_text_page_and_chart(run, tmp_path):
    page, chart = tmp_path / "page.html", tmp_path / "chart.svg"
    command = f"perplexity words characters --text text.txt --explain --html {page} --plot {chart}"
    ran = run(*shlex.split(command))
    assert ran.code == 0
    assert "total: words minus characters" in ran.out
    assert f"the page is in {page}\n" in ran.out
    assert f"the chart is in {chart}\n" in ran.out
    assert "How words and characters predict text.txt" in page.read_text(encoding="utf-8")
    assert "tokenizer (length)" in chart.read_text(encoding="utf-8")


@pytest.mark.usefixtures("there")
def test_without_an_explanation_there_are_bars_and_a_plain_page(run, tmp_path):
    page, chart = tmp_path / "page.html", tmp_path / "chart.svg"
    command = f"perplexity words characters --text text.txt --html {page} --plot {chart}"
    assert run(*shlex.split(command)).code == 0
    assert "Bits per byte of text.txt" in chart.read_text(encoding="utf-8")
    written = page.read_text(encoding="utf-8")
    assert "characters is better than words on this text" in written
    assert "<svg" in written


@pytest.mark.usefixtures("there")
def test_the_parts_add_up_to_the_gap_of_the_measurements(run):
    value = run("perplexity", "words", "transformer", "--text", "text.txt", "--explain", "--json").json
    first, second = (each["measures"][0]["bits_per_byte"]["value"] for each in value["measured"])
    assert sum(part["bits_per_byte"] for part in value["explained"]["parts"]) == pytest.approx(first - second)


@pytest.mark.usefixtures("there")
def test_two_texts_and_one_are_explained_too(run):
    two = run("perplexity", "characters", "--text", "text.txt", "loud.txt", "--explain", "--json").json["explained"]
    assert two["parts"]
    one = run("perplexity", "characters", "--text", "text.txt", "--explain", "--json").json["explained"]
    parts = sum(each["bits_per_byte"] for each in one["kinds"])
    assert parts == pytest.approx(one["measured"]["bits_per_byte"])
    assert one["stands_out"][0]["words"]


@pytest.mark.usefixtures("there")
def test_preprocessing_is_charged(run):
    value = run("perplexity", "characters", "--text", "loud.txt", "--preprocess", "lower,numbers", "--json").json
    rows = {each["after"]: each for each in value["preprocessed"]}
    assert list(rows) == ["as it is", "lower", "numbers", "all of them"]
    measured = value["measured"][0]["measures"][0]
    assert rows["as it is"]["bits_per_byte"] == pytest.approx(measured["bits_per_byte"]["value"])
    assert rows["lower"]["perplexity"] < rows["as it is"]["perplexity"]
    for each in rows.values():
        charge = sum(step["nats"] for step in each["forgotten"]) / math.log(2) / each["raw_bytes"]
        assert each["bits_per_byte"] == pytest.approx(each["bits_per_byte_uncharged"] + charge)
    shown = run("perplexity", "characters", "--text", "loud.txt", "--preprocess", "lower").out
    assert "gain of characters from preprocessing loud.txt, in bits per byte of the raw file" in shown


@pytest.mark.usefixtures("there")
def test_bfloat16_is_used_if_it_is_asked_for_and_says_what_it_may_change(run):
    said = "transformer: bfloat16 may have moved the mean by about "
    for asked, used in (
        ((), "float32"),
        (("--precision", "float32"), "float32"),
        (("--precision", "bfloat16"), "bfloat16"),
    ):
        (measured,) = run("perplexity", "transformer", "--text", "text.txt", *asked, "--json").json["measured"]
        assert measured["precision"] == used
        assert (measured["rounding"] > 0) == (used == "bfloat16")
        shown = run("perplexity", "transformer", "--text", "text.txt", *asked).out
        assert (", bfloat16 " in shown) == (said in shown) == (used == "bfloat16")


@pytest.fixture
def unsound(monkeypatch):
    """An audit in which a check fails."""
    from attnlab.benches.perplexity import auditing

    real = auditing.audit_subject

    def fail(*arguments, **options) -> Certificate:
        found = real(*arguments, **options)
        failed = Check("causal", False, "token 3 changes what is said of token 2", {})
        return Certificate(found.model, (failed, *found.checks[1:]), found.ledger)

    monkeypatch.setattr(auditing, "audit_subject", fail)


@pytest.mark.usefixtures("there", "unsound")
def test_an_unsound_number_is_refused(run):
    ran = run("perplexity", "characters", "--text", "text.txt")
    assert ran.code == 1
    assert "characters: causal failed: token 3 changes what is said of token 2\n" in ran.out
    assert "bits/byte" not in ran.out
    value = run("perplexity", "characters", "--text", "text.txt", "--json").json
    assert value["measured"][0]["measures"] is None
    assert value["measured"][0]["sound"] is False


@pytest.mark.usefixtures("there", "unsound")
def test_an_unsound_number_can_be_forced_and_is_marked(run):
    ran = run("perplexity", "characters", "--text", "text.txt", "--force")
    assert ran.code == 1
    assert "characters (UNSOUND)" in ran.out
    assert "characters is unsound: do not trust its numbers\n" in ran.out


@pytest.mark.usefixtures("there", "unsound")
def test_a_refusal_says_why_with_a_chart_and_a_page_too(run, tmp_path):
    chart, page = tmp_path / "chart.svg", tmp_path / "page.html"
    ran = run("perplexity", "characters", "--text", "text.txt", "--plot", str(chart), "--html", str(page))
    assert ran.code == 1
    assert "characters: causal failed: " in ran.out
    assert "no model has a sound number" in chart.read_text(encoding="utf-8")
    assert "causal failed" in page.read_text(encoding="utf-8")


@pytest.mark.usefixtures("there")
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("characters --text nowhere.txt", "nowhere.txt: there is no such file"),
        (
            "nowhere --text text.txt",
            "nowhere: there is no such run folder; for a Hugging Face model, write hf:nowhere",
        ),
        ("caracters --text text.txt", "caracters: there is no such run folder; did you mean characters?"),
        (
            "elsewhere --text text.txt",
            "elsewhere: expected the folder of a run, got a Hugging Face model; write hf:else",
        ),
        (
            "--text text.txt characters",
            "MODEL: expected at least one model before --text: --text takes all words after it",
        ),
        (
            "characters --text text.txt --stride 5",
            "--stride: expected at most the 4 tokens of the context window; got 5",
        ),
        ("characters --text empty.txt", "empty.txt: the file is empty"),
        (
            "characters --text binary.bin",
            "binary.bin, line 1: expected text, got a zero byte: this looks like a binary file",
        ),
        ("characters --text latin.txt", "latin.txt, line 2: expected text in UTF-8, got the byte 0xe9"),
        ("characters --text .", ".: expected a file, got a folder"),
        ("transformer --text text.txt --context 17", "--context: the model sees at most 16 tokens at once; got 17"),
        (
            "transformer --text text.txt --stride 17",
            "--stride: expected at most the 16 tokens of the context window; got 17",
        ),
        ("transformer --text text.txt --stride 0", "--stride: expected a whole number of at least 1, got 0; try 1"),
        ("characters --text text.txt --explain --html page.txt", "--html: expected a file that ends in .html, got 'pa"),
        (
            "characters --text page.html --html page.html",
            "--html: expected another file than those that the command reads",
        ),
        ("characters --text text.txt --plot a.txt", "--plot: expected a file that ends in .png, .svg or .html"),
        ("characters words --text text.txt topics --explain", "--explain: expected one text with any number of"),
        ("characters --text text.txt --preprocess lowercase", "--preprocess: expected "),
        ("transformer --text text.txt --device cuda", "--device: cuda needs a GPU that torch can use"),
        ("words --text spaces.txt", "spaces.txt: expected at least one word"),
        (
            "words --text topic",
            "topic: there is no such file; expected a file or a name: topics, repeats, "
            "tinyshakespeare, wikitext2 or birthplaces; did you mean topics?",
        ),
    ],
)
def test_bad_input_is_named(run, runs, options, said, monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    (runs / "elsewhere").mkdir(exist_ok=True)
    (runs / "elsewhere" / "config.json").write_text('{"model_type": "gpt2"}')
    (runs / "page.html").write_text("<p>a page</p>")
    (runs / "empty.txt").write_text("")
    (runs / "spaces.txt").write_text(" \n \n")
    (runs / "binary.bin").write_bytes(b"\x7fELF\0\0\1")
    (runs / "latin.txt").write_bytes("one\ncafé".encode("latin-1"))
    assert run("perplexity", *shlex.split(options)).refusal.startswith(f"attnlab perplexity: {said}")


@pytest.mark.usefixtures("there")
@pytest.mark.parametrize("options", [[], ["--force"]])
def test_what_costs_no_number_is_unsound(run, monkeypatch, options):
    from attnlab.evaluation.scoring import windows

    real = windows._nats

    def broken(*given: Any) -> Any:
        return real(*given) * math.nan

    monkeypatch.setattr(windows, "_nats", broken)
    ran = run("perplexity", "transformer", "--text", "short.txt", *options)
    assert ran.code == 1
    assert "finite failed: the cost of a token of the text is NaN\n" in ran.out
    assert "transformer is unsound: " in ran.out
    value = run("perplexity", "transformer", "--text", "short.txt", "--json", *options).json
    assert value["measured"][0]["sound"] is False


@pytest.mark.usefixtures("there")
def test_one_token_is_enough(run, runs):
    (runs / "one.txt").write_text("T")
    (measured,) = run("perplexity", "characters", "--text", "one.txt", "--json").json["measured"]
    assert measured["measures"][0]["tokens"] == 1
    assert measured["measures"][0]["bits_per_byte"]["low"] is None
