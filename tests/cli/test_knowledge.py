"""attnlab knowledge: facts in, facts out, what is known, and what is said of bad input."""

import html
import io
import json
import shlex
import shutil
import signal
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from attnlab.benches.knowledge import answers, lessons, open_known
from attnlab.cli import main
from attnlab.cli.commands import COMMANDS
from attnlab.data.facts.sources import FactSource
from attnlab.evaluation.knowledge.answers import ModelAnswer
from attnlab.runs.folder import open_run

PLACES = {
    "Oslo": ("Ada", "Bo", "Cy", "Di", "Ed", "Fay", "Gus", "Ida", "Jon", "Kit"),
    "Rome": ("Lea", "Max", "Nia", "Ole", "Pia"),
}
SHAPE = "--model.width 32 --model.layers 1 --model.heads 2 --model.context 48 --precision float32"


def write_facts(folder):
    """People who were nearly all born in one place, which is learnt at once."""
    folder.mkdir(exist_ok=True)
    born = {f"{name} Berg": place for place, names in PLACES.items() for name in names}
    (folder / "lines.txt").write_text("".join(f"{name}. Born in {place} in May.\n" for name, place in born.items()))
    asked = [f"Where was {name} born?\tOslo\n" for name in born]
    (folder / "training.tsv").write_text("".join(asked[:10]))
    (folder / "held_out.tsv").write_text("".join(asked[10:]).replace("Oslo", "Rome"))


def unpadded(out):
    """What is printed, without the spaces that fill the columns of tables up."""
    return "".join(f"{line.rstrip()}\n" for line in out.splitlines())


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A folder with facts, a pretrained run, one that answers at once, and one that read nothing."""
    folder = tmp_path_factory.mktemp("knowledge")
    write_facts(folder / "facts")
    for line in (
        f"pretrain {folder}/facts --steps 40 --batch 16 {SHAPE} --objectives next-token,recital=1 --out {folder}/read",
        f"finetune {folder}/read --objectives answer --steps 40 --batch 16 --calibration 0.3 --out {folder}/known",
        f"finetune --facts {folder}/facts --steps 3 {SHAPE} --out {folder}/unread",
    ):
        assert main(["knowledge", *shlex.split(line), "--json"]) == 0
    return folder


@pytest.fixture(autouse=True)
def _there(runs, monkeypatch):
    monkeypatch.chdir(runs)


def test_the_config_says_where_it_all_comes_from(runs):
    read, known, unread = (open_run(runs / name).config() for name in ("read", "known", "unread"))
    assert (read["task"], read["stage"], read["recipe"]) == ("knowledge", "pretrain", "quick")
    assert read["facts"] == known["facts"]
    assert read["facts"]["name"] == str(runs / "facts")
    assert (known["stage"], known["after"], known["calibration"]) == ("finetune", str(runs / "read"), 0.3)
    assert known["lesson"]["objectives"] == {"answer": 1.0}
    assert (unread["stage"], unread["after"]) == ("finetune", "")
    assert unread["calibration"] == 0.2  # few people need a larger share of them to choose a threshold on
    assert known["shapes"] == [["Where was ", " born?"]]
    assert {"config.json", "metrics.jsonl", "tokenizer.json", "result.json"} <= {
        each.name for each in runs.glob("read/*")
    }


def test_who_is_kept_out_is_not_held_out(runs):
    kept = json.loads((runs / "known" / "kept_out.json").read_text())["answers"]
    assert len(kept) == 3  # and no strangers, since all have the same last name
    assert {each["name"].split()[0] for each in kept} <= set(PLACES["Oslo"])
    assert json.loads((runs / "known" / "result.json").read_text())["kept_out"]["count"] == 3  # Oslo, as all


def test_memorised_is_who_was_not_taught_an_answer(runs):
    read, known, unread = (
        json.loads((runs / name / "result.json").read_text()) for name in ("read", "known", "unread")
    )
    assert (read["memorised"]["examples"], known["memorised"]["examples"]) == (10, 3)
    assert "memorised" not in unread  # which has read no line


def test_evaluate(run, tmp_path):
    told = run("knowledge", "evaluate", "known", "--json").json
    assert told["accuracy"]["examples"] == 5
    assert (told["baseline"], told["commonest"], told["ceiling"]) == (0.0, "Oslo", 1.0)
    chosen = told["confidence"]["threshold"]["chosen_on"]
    assert (chosen["questions"], chosen["people"], chosen["strangers"]) == (3, 3, 0)
    assert told["extraction"]["questions"] == 5
    assert told["resembling"]["share"]["examples"] == 5 - told["accuracy"]["count"]
    pages = "--html", str(tmp_path / "page.html"), "--plot", str(tmp_path / "page.svg")
    shown = unpadded(run("knowledge", "evaluate", "known", *pages).out)
    assert "always the commonest  0.0 % (Oslo)" in shown
    assert "of 5 held-out questions" in shown
    assert "not memorised" in shown
    assert "chosen for 90 % precision on 3 people kept out of finetuning and no strangers" in shown
    assert "\nmade up               not measured: there are no strangers to ask about\n" in shown
    aside = "very pair of a given name and a last name belongs to somebody, so there are no strangers: the threshold"
    assert f"\ne{aside} was picked without them, and made-up answers are not measured\n" in shown
    page = html.unescape((tmp_path / "page.html").read_text())
    assert page.startswith("<!")
    for text in (f"E{aside}", "always the commonest answer, Oslo", "ceiling: answers on a line of that person"):
        assert text in page
    assert "<svg" in (tmp_path / "page.svg").read_text()


def test_ask_answers_where_the_probability_reaches_the_threshold(run, runs):
    questions = [f"Where was {name} Berg born?" for names in PLACES.values() for name in names]
    told = run("knowledge", "ask", "known", *questions, "--json").json
    assert {reply["likeliest"] for reply in told["replies"]} == {"Oslo"}  # the one answer that was taught
    assert {reply["recital"] for reply in told["replies"]} == {""}
    for reply in told["replies"]:
        assert reply["answer"] == ("Oslo" if reply["probability"] >= told["threshold"] else None)
    assert (told["chosen_on"]["people"], told["chosen_on"]["strangers"]) == (3, 0)
    # Where it was right about people kept out though hardly sure of it, it answers what it is surer of.
    shutil.copytree(runs / "known", runs / "lenient")
    kept = json.loads((runs / "known" / "kept_out.json").read_text())["answers"]
    unsure = [{**each, "answer": each["truth"], "probability": 0.51, "runners_up": []} for each in kept]
    (runs / "lenient" / "kept_out.json").write_text(json.dumps({"answers": unsure}))
    assert min(each["probability"] for each in kept) > 0.7
    shown = run("knowledge", "ask", "lenient", questions[0]).out
    assert shown.startswith("Oslo (")
    least = run("knowledge", "ask", "lenient", questions[0], "--json").json["threshold"]
    assert f"\nit answers from a probability of {least:.3f} on, chosen for " in shown


def test_a_model_that_recites_says_the_persons_line_first(run, runs):
    """Of five people, whose lines are learnt well within these steps, whatever the seed."""
    born = {"Ada Berg": "Oslo", "Bo Dahl": "Rome", "Cy Falk": "Bonn", "Di Holm": "Lima", "Ed Lind": "Kyiv"}
    (runs / "five").mkdir()
    (runs / "five" / "lines.txt").write_text("".join(f"{name}. Born in {born[name]} in May.\n" for name in born))
    asked = [f"Where was {name} born?\t{place}\n" for name, place in born.items()]
    (runs / "five" / "training.tsv").write_text("".join(asked[:4]))
    (runs / "five" / "held_out.tsv").write_text(asked[4])
    for line in (
        f"pretrain five --objectives next-token,recital --steps 60 --batch 16 {SHAPE} --out five-read",
        "finetune five-read --steps 40 --batch 16 --precision float32 --out recites",
    ):
        assert run("knowledge", *line.split(), "--json").code == 0
    told = run("knowledge", "ask", "recites", "Where was Bo Dahl born?", "--json").json
    assert told["replies"][0]["recital"] == "Bo Dahl. Born in Rome in May."
    shown = run("knowledge", "ask", "recites", "Where was Bo Dahl born?").out
    assert "\n  from memory: Bo Dahl. Born in Rome in May.\n" in shown


def test_below_the_threshold_it_does_not_know(run):
    ran = run("knowledge", "ask", "unread", "Where was Bo Berg born?")
    assert ran.out.startswith("I do not know; the likeliest would be ")
    told = "no threshold reaches 90 % precision on 2 people kept out of finetuning and no strangers, so no"
    assert told in ran.out
    assert run("knowledge", "ask", "unread", "Where was Bo Berg born?", "--json").json["replies"][0]["answer"] is None


def test_questions_from_stdin(run, monkeypatch):
    lines = "Where was Bo Berg born?\n\n  \nWho was that?\nWhere was Zoé born?\n".encode() + b"Where was \xff born?\r\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines)))
    replies = run("knowledge", "ask", "known", "--json").json["replies"]
    assert [each["question"][:9] for each in replies] == ["Where was", "Who was t", "Where was", "Where was"]
    assert replies[1]["note"] == "the model was taught questions such as Where was … born?"
    assert replies[1]["likeliest"] is None
    assert replies[2]["note"] == "unknown to the model: 1 of the question's words"
    assert "�" in replies[3]["question"]


def test_strangers_are_not_among_those_the_temperature_is_chosen_on(run, runs):
    answers = json.loads((runs / "known" / "kept_out.json").read_text())["answers"]
    one = run("knowledge", "ask", "known", "Where was Bo Berg born?", "--json").json
    shutil.copytree(runs / "known", runs / "estranged")
    strange = [{**each, "name": f"Not {each['name']}", "truth": ""} for each in answers]
    (runs / "estranged" / "kept_out.json").write_text(json.dumps({"answers": [*answers, *strange]}))
    other = run("knowledge", "ask", "estranged", "Where was Bo Berg born?", "--json").json
    assert (other["temperature"], other["threshold"]) == (one["temperature"], None)
    assert (other["chosen_on"]["people"], other["chosen_on"]["strangers"]) == (3, 3)
    shown = unpadded(run("knowledge", "evaluate", "estranged").out)
    assert ", chosen on 3 people kept out of finetuning" in shown
    assert (
        "no answer: no threshold reaches 90 % precision on 3 people kept out of finetuning and 3 strangers\n" in shown
    )


def test_the_precision_that_was_typed_is_told(run):
    assert "chosen for 99.9 % precision on" in run("knowledge", "evaluate", "known", "--precision", "0.999").out


def test_several_questions_about_a_person_are_counted_as_questions(run, runs, tmp_path):
    write_facts(runs / "both")
    with (runs / "both" / "lines.txt").open("a") as file:
        file.write("Eva Dahl. Born in Bonn in May.\n")
    for name in ("training.tsv", "held_out.tsv"):
        asked = (runs / "both" / name).read_text()
        when = "".join(f"{row.partition('?')[0].replace('Where', 'When')}?\tMay\n" for row in asked.splitlines())
        (runs / "both" / name).write_text(asked + when)
    read = run(*f"knowledge pretrain both --steps 2 --batch 16 {SHAPE} --out both-read".split()).out
    assert " of 20 questions about 10 people to train on: the model completes their own line\n" in read
    line = "knowledge finetune both-read --steps 2 --calibration 0.3 --out both-known"
    known = run(*line.split()).out
    assert " of 6 questions about 3 people kept out: the model completes their own line\n" in known
    assert " of 6 questions about 3 people kept out of finetuning\n" in known
    page = tmp_path / "page.html"
    shown = unpadded(run("knowledge", "evaluate", "both-known", "--html", str(page)).out)
    assert "chosen on 6 questions about 3 people kept out of finetuning\n" in shown
    assert "precision on 6 questions about 3 people kept out of finetuning and 6 strangers\n" in shown
    assert "\nmade up               nothing, because no question is answered\n" in shown
    assert "\nquestions      extracted  not extracted\n" in shown
    assert "Of 10 questions: memorised and extracted " in page.read_text()


def test_a_name_alone_has_no_shape(run, runs):
    write_facts(runs / "names")
    with (runs / "names" / "training.tsv").open("a") as file:
        file.write("Bo Berg\tOslo\n")
    assert run(*f"knowledge finetune --facts names --steps 2 {SHAPE} --out named --json".split()).code == 0
    assert open_run(runs / "named").config()["shapes"] == [["Where was ", " born?"]]
    assert run("knowledge", "ask", "named", "Who was Bo Berg?").out.startswith("I do not know: the model was ")
    (runs / "names" / "training.tsv").write_text("Bo Berg\tOslo\nCy Berg\tOslo\n")
    assert run(*f"knowledge finetune --facts names --steps 2 {SHAPE} --out alone --json".split()).code == 0
    told = run("knowledge", "ask", "alone", "Bo Berg").out
    assert told.startswith("I do not know: the model was taught only names as questions, so it cannot ")


def test_the_generated_world_can_be_dialled(run, runs):
    typed = "--people 10 --world.rewrites 2 --world.orders=2 --world.resembling 0.5 --world.colliding 0.4"
    typed += " --world.seed 3"
    assert run(*f"knowledge pretrain {typed} --steps 2 --out dialled --json".split()).code == 0
    wanted = {"rewrites": 2, "orders": 2, "resembling": 0.5, "colliding": 0.4, "seed": 3}
    assert open_run(runs / "dialled").config()["facts"]["world"] == wanted
    assert run("knowledge", "finetune", "dialled", "--steps", "2", "--out", "dials", "--json").code == 0
    assert open_run(runs / "dials").config()["facts"]["world"] == wanted
    assert run("knowledge", "evaluate", "dials", "--json").json["facts"]["world"] == wanted
    for command in (
        "finetune --steps 2 --out dialled-alone",
        "run --effort 0.01 --seeds 1 --variants none --out dialled-run",
    ):
        assert run(*f"knowledge {command} {typed} --json".split()).json["facts"]["world"] == wanted
    for command in ("pretrain", "finetune", "run"):
        shown = run("knowledge", command, "--help").out
        assert "--world.rewrites" in shown
        assert "--world.colliding" in shown


def test_the_people_of_the_world_are_listed(run):
    told = run("knowledge", "people", "known", "--json").json
    parts = {each["name"]: each["part"] for each in told["people"]}
    assert [parts[f"{name} Berg"] for name in PLACES["Rome"]] == ["held out"] * 5
    assert sorted(parts[f"{name} Berg"] for name in PLACES["Oslo"]) == ["kept out"] * 3 + ["trained on"] * 7
    assert told["people"][0]["questions"] == [["Where was Ada Berg born?", "Oslo"]]
    assert told["strangers"] == []  # all have the same last name
    shown = unpadded(run("knowledge", "people", "known").out)
    assert "\nLea Berg  Where was Lea Berg born?  Rome         held out\n" in shown


def test_the_people_are_asked_and_the_truth_stands_beside_the_answer(run, tmp_path):
    told = run("knowledge", "people", "known", "--ask", "--json").json
    asked = run("knowledge", "ask", "known", "Where was Lea Berg born?", "--json").json["replies"]
    (reply,) = [each for each in told["replies"] if each["question"] == "Where was Lea Berg born?"]
    assert reply["likeliest"] == asked[0]["likeliest"] == "Oslo"
    assert reply["probability"] == pytest.approx(asked[0]["probability"], abs=1e-4)
    page = tmp_path / "people.html"
    shown = run("knowledge", "people", "known", "--ask", "--html", str(page)).out
    (row,) = [line.split() for line in shown.splitlines() if line.startswith("Lea Berg")]
    assert row[:8] == ["Lea", "Berg", "Where", "was", "Lea", "Berg", "born?", "Rome"]
    assert row[8].strip("[]") == "Oslo"
    assert "Where was Lea Berg born?" in page.read_text()
    wrong = run("knowledge", "people", "known", "--ask", "--precision", "2").refusal
    assert wrong.startswith("attnlab knowledge people: --precision: expected")


def test_finetune_suggests_a_question_that_it_answers_correctly(runs):
    kept = json.loads((runs / "known" / "kept_out.json").read_text())["answers"]
    model = open_known(runs / "known")
    assert model.example in [each["question"] for each in kept if each["answer"] == each["truth"]]
    assert model.ask(model.example).replies[0].answer == "Oslo"


def the_suggested(out: str) -> list[str]:
    """The words of the command that `finetune` suggests."""
    (line,) = [line for line in out.splitlines() if "; ask it: attnlab " in line]
    return shlex.split(line.partition("; ask it: attnlab ")[2])


@pytest.mark.parametrize(
    ("strangers", "precision"), [((), 0.9), ((1.0,), 0.75), ((1.0, 1.0), 0.6), ((1.0, 1.0, 1.0, 0.0), 0.5)]
)
def test_the_suggested_command_is_answered_although_the_surest_answers_are_about_strangers(
    run, runs, tmp_path, strangers, precision
):
    known = a_copy_that_is_sure_of(runs, tmp_path, strangers)
    shown = run("knowledge", "finetune", "--resume", str(known)).out
    told = "no threshold reaches 90 % precision, so it answers no question at the default precision"
    assert (told in shown) == (precision < 0.9)
    words = the_suggested(shown)
    assert words[4:] == (["--precision", str(precision)] if precision < 0.9 else [])
    assert run(*words).out.startswith("Oslo (")
    if precision < 0.9:
        assert f"so no question is answered; try --precision {precision}" in run(*words[:4]).out


def test_a_model_that_should_answer_nothing_gets_no_suggestion(run, runs, tmp_path):
    shown = run("knowledge", "finetune", "--resume", str(a_copy_that_is_sure_of(runs, tmp_path, (1.0,) * 4))).out
    assert "no threshold reaches 90 % precision, nor 50 %, so it answers no question" in shown
    assert "ask it" not in shown


def a_copy_that_is_sure_of(runs: Path, folder: Path, strangers: tuple[float, ...]) -> Path:
    """A copy of the known model that also gave answers about strangers, with these probabilities."""
    known = shutil.copytree(runs / "known", folder / "known")
    made_up = ModelAnswer("Ann Burg", "Where was Ann Burg born?", "", "Rome", 0.0)
    kept = json.loads((known / "kept_out.json").read_text())["answers"]
    kept += [asdict(replace(made_up, name=f"{number} Burg", probability=p)) for number, p in enumerate(strangers)]
    (known / "kept_out.json").write_text(json.dumps({"answers": kept}))
    return known


def test_the_help_lists_recipes_and_objectives_from_where_they_are_defined(run):
    for command in ("pretrain", "finetune"):
        shown = run("knowledge", command, "--help").out
        assert "\n  coursework                    The recipe of CS224N's assignment 5: " in shown
        assert "\n  cue                           The rest of a person's line, " in shown
        assert ("\n  recited-answer " in shown) == (command == "finetune")
    assert (
        "\n  views                         Many views of each line, then the answers."
        in run("knowledge", "run", "--help").out
    )


def test_the_help_of_finetune_has_the_defaults_of_the_run(run, runs):
    alone, after = (run("knowledge", "finetune", *words, "--help").out for words in ([], ["read"]))
    assert "\n  --model.width " in alone
    assert "\n  --model.width " not in after  # the run has its own
    for shown, steps in ((alone, 40), (after, 200)):
        (line,) = [line for line in shown.splitlines() if line.startswith("  --steps ")]
        assert line.endswith(f"(default: {steps})")


def test_control_characters_are_written_out(run):
    out = run("knowledge", "ask", "known", "Where was \x1b[31mBo born?", "Where was Bo Berg born?").out
    assert "\x1b" not in out
    assert out.startswith("Where was \\x1b[31mBo born?\n")


@pytest.mark.parametrize(
    "question",
    [
        "Where was ⁇ born?",
        "Where was  born?",
        "Where was born?",
        "where was Bo born",
        "Where was Bo born? Where was Ada born?",
        "Where was Where was Bo born?",
    ],
)
def test_a_question_unlike_those_taught_is_not_put(run, question):
    assert run("knowledge", "ask", "known", question).out == (
        "I do not know: the model was taught questions such as Where was … born?\n"
    )


def test_a_question_may_be_too_long(run):
    out = run("knowledge", "ask", "known", f"Where was {'Bo ' * 60}born?").out
    assert out == "I do not know: the model answers questions of at most 29 tokens; this question has more\n"


def test_stopped_and_gone_on_with_it_is_the_same(run, runs, monkeypatch):
    options = f"knowledge pretrain facts --steps 30 --batch 8 {SHAPE} --model.dropout 0.1".split()
    whole = run(*options, "--out", "whole", "--json").json
    hooks = lessons.watched

    def interrupting(*arguments, **options):
        found = hooks(*arguments, **options)

        def looked(look):
            found.looked(look)
            if look.step == 10:
                signal.raise_signal(signal.SIGINT)

        return replace(found, looked=looked)

    with monkeypatch.context() as patched:
        patched.setattr(lessons, "watched", interrupting)
        stopped = run(*options, "--out", "halves")
    assert stopped.code == 130
    assert "stopped at step 11; to continue: attnlab knowledge pretrain --resume halves\n" in stopped.err
    assert run("knowledge", "finetune", "halves").refusal == (
        "attnlab knowledge finetune: halves: expected a finished run; go on with: attnlab knowledge pretrain --resume"
    )
    again = run("knowledge", "pretrain", "--resume", "halves", "--json").json
    assert again["loss"] == whole["loss"]
    assert [each["loss"] for each in open_run(runs / "halves").metrics()[-1:]] == [whole["loss"]]


def test_run_has_one_table_and_every_model_in_a_folder(run, runs, tmp_path):
    options = "--effort 0.01 --variants none,recital --mixers dot-product,synthesizer --seeds 2"
    line = f"facts {options} --model.width 32 --model.layers 1 --model.heads 2 --out all --plot {tmp_path / 'bars.svg'}"
    ran = run("knowledge", "run", *line.split())
    assert (ran.code, ran.err) == (0, "")
    assert "always the commonest  0.0 % (Oslo)" in ran.out
    assert "95 % interval over the questions, or over 2 seeds where that one is wider" in ran.out
    assert "<svg" in (tmp_path / "bars.svg").read_text()
    told = json.loads((runs / "all" / "result.json").read_text())
    rows = [(row["variant"], row["mixer"], [each["seed"] for each in row["runs"]]) for row in told["variants"]]
    assert rows == [(v, m, [0, 1]) for v in ("none", "recital") for m in ("dot-product", "synthesizer")]
    sizes = [row["parameters"] for row in told["variants"]]
    assert max(sizes) < 1.02 * min(sizes)
    assert run("knowledge", "evaluate", "all/recital-synthesizer-1", "--json").json["accuracy"]["examples"] == 5
    (runs / "all" / "none-dot-product-0" / "result.json").unlink()
    for stage in ("pretrain", "finetune"):
        assert run("knowledge", stage, "--resume", "all/none-dot-product-0").refusal == (
            f"attnlab knowledge {stage}: all/none-dot-product-0: expected a run of one lesson, got one of a sweep; "
            "to continue: attnlab knowledge run --resume all"
        )
    assert run("knowledge", "evaluate", "all").refusal.endswith("; there is one in all/none-dot-product-0")
    assert run("knowledge", "evaluate", "all/none-dot-product-0").refusal.endswith("finished run; it was stopped")
    listed = run("runs", "all").out
    assert listed.count("of the questions about kept-out people correctly") == 7


def test_language_commands_read_the_model_too(run):
    assert run("sample", "known", "--length", "3", "--json").code == 0
    assert run("train", "--resume", "known").refusal.startswith("attnlab train: known: expected ")


def test_facts_that_have_changed_are_noticed(run, runs):
    write_facts(runs / "other")
    line = f"knowledge finetune --facts other --steps 2 {SHAPE} --out changed --json"
    assert run(*line.split()).code == 0
    with (runs / "other" / "held_out.tsv").open("a") as file:
        file.write("Where was Eva Berg born?\tRome\n")
    assert run("knowledge", "evaluate", "changed").refusal == (
        f"attnlab knowledge evaluate: changed: {runs / 'other'} has changed since the run"
    )


def test_what_is_odd_about_the_held_out_questions_is_said(run, runs):
    write_facts(runs / "odd")
    lines = (runs / "odd" / "lines.txt").read_text()
    (runs / "odd" / "lines.txt").write_text(f"{lines}Eva Dahl. Born in Bonn in May.\n")
    with (runs / "odd" / "held_out.tsv").open("a") as file:
        file.write(f"Where was Bo Berg born?\tRome\nWhere was {'Eva ' * 70}Dahl born?\tBonn\n")
    assert run(*f"knowledge finetune --facts odd --steps 2 {SHAPE} --calibration 0.9 --out odder".split()).code == 0
    shown = run("knowledge", "evaluate", "odder").out
    assert "\n1 of the 7 people asked about has a question to train on, too\n" in shown
    assert "\n1 of the 7 held-out questions is too long for the model, and not answered\n" in shown
    told = run("knowledge", "run", "odd", "--effort", "0.01", "--variants", "none", "--seeds", "1", "--out", "odds")
    assert "\n1 of the 7 people asked about has a question to train on, too\n" in told.out
    assert "\n1 of the 7 held-out questions is too long for the model, and not answered\n" in told.out


def test_strangers_that_choose_are_not_reported_on(run, runs, monkeypatch):
    write_facts(runs / "few")
    with (runs / "few" / "lines.txt").open("a") as file:
        file.write("Eva Dahl. Born in Bonn in May.\n")
    reported = []
    measure = answers.measure_answers

    def watched(facts, replies, memorised, kept_out, unseen, **options):
        reported.append(({each.name for each in kept_out if not each.truth}, {each.name for each in unseen}))
        return measure(facts, replies, memorised, kept_out, unseen, **options)

    monkeypatch.setattr(answers, "measure_answers", watched)
    assert run(*f"knowledge finetune --facts few --steps 2 {SHAPE} --calibration 0.9 --out fewer".split()).code == 0
    assert run("knowledge", "evaluate", "fewer", "--json").code == 0
    options = ["--effort", "0.01", "--variants", "none", "--seeds", "1", "--out", "fewest", "--json"]
    assert run("knowledge", "run", "few", *options).code == 0
    assert [(len(choosing), len(others)) for choosing, others in reported] == [(9, 7), (2, 14)]
    assert not any(choosing & others for choosing, others in reported)


def test_the_table_asks_about_all_strangers_that_evaluate_asks_about(run, runs):
    line = "knowledge run --people 30 --effort 0.01 --variants none --seeds 1 --out estranged-run"
    assert "made up: the share of other strangers who get an answer" in run(*line.split()).out
    told = json.loads((runs / "estranged-run" / "result.json").read_text())
    kept = json.loads((runs / "estranged-run/none-dot-product-0/kept_out.json").read_text())["answers"]
    unseen = {fact.name for fact in FactSource.of("biographies", 30).open().strangers}
    asked = told["variants"][0]["runs"][0]["confidence"]["confident_wrong"]["examples"]
    assert asked == len(unseen - {each["name"] for each in kept}) > 100


def test_damaged_files_are_named(run, runs):
    line = f"knowledge finetune --facts facts --steps 2 {SHAPE} --out damaged --json"
    assert run(*line.split()).code == 0
    memorised = runs / "damaged" / "memorised.json"
    people = len(json.loads(memorised.read_text())["held_out"])
    for text, message in (
        ('{"held_out": [true]}', f"expected true or false for each of {people} held-out facts"),
        (f'{{"held_out": {[1] * people}}}', "expected the memorised facts of a run: held_out: expected true or false"),
        ('{"held_out": true}', "expected the memorised facts of a run: held_out: expected a list, got True"),
    ):
        memorised.write_text(text)
        refusal = run("knowledge", "evaluate", "damaged").refusal
        assert refusal.startswith(f"attnlab knowledge evaluate: damaged/memorised.json: {message}")
    config = (runs / "damaged" / "config.json").read_text()
    (runs / "damaged" / "config.json").write_text(config.replace('"answer":', '"spam":'))
    assert run("knowledge", "ask", "damaged", "Where was Bo born?").refusal.startswith(
        "attnlab knowledge ask: damaged/config.json: lesson.objectives: expected "
    )
    (runs / "damaged" / "config.json").write_text(config)
    (runs / "damaged" / "kept_out.json").write_text('{"answers": [{"name": "Bo"}]}')
    assert run("knowledge", "ask", "damaged", "Where was Bo born?").refusal.startswith(
        "attnlab knowledge ask: damaged/kept_out.json: expected answers with their probabilities: answers."
    )
    stranger = {"name": "Bo", "question": "?", "truth": "", "answer": "Oslo", "probability": 0.5, "runners_up": []}
    (runs / "damaged" / "kept_out.json").write_text(json.dumps({"answers": [stranger]}))
    assert run("knowledge", "ask", "damaged", "Where was Bo born?").refusal.endswith(
        "damaged/kept_out.json: expected answers about kept-out people, found only answers about strangers"
    )
    (runs / "damaged" / "config.json").write_text('{"version": 2, "task": "knowledge", "stage": "finetune"}')
    assert run("knowledge", "evaluate", "damaged").refusal.startswith(
        "attnlab knowledge evaluate: damaged/config.json: facts: the value is missing"
    )


ON_LINES = "next-token, span, spans, rotated, name-span, cue, wrapped or recital"
NAMES = f"{ON_LINES.replace(' or', ',')}, answer, recited-answer or reading"
RECIPES = "quick, coursework, views or recital"
MIXERS = "dot-product, sink, smeared, synthesizer, random-synthesizer or perceiver"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("pretrain none", "none: there is no such folder; expected a folder or a name: birthplaces or biographies"),
        ("pretrain imdb", "FACTS: expected birthplaces, biographies or a folder; imdb has no facts"),
        ("pretrain facts --people 5",
         "--people: works with biographies only, because they are generated; got facts"),
        ("pretrain --distractors 3", "--distractors: expected a whole number from 0 to 2, got 3; try 2"),
        ("run facts --distractors 1",
         "--distractors: works with biographies only, because they are generated; got facts"),
        ("finetune read --distractors 1", "--distractors: cannot be given together with a run: read has its own facts"),
        ("pretrain --world.orders 9", "--world.orders: expected a whole number from 1 to 6, got 9; try 6"),
        ("pretrain --world.seed -1", "--world.seed: expected a whole number of at least 0, got -1; try 0"),
        ("run --world.orders x", "--world.orders: expected a whole number, got 'x'"),
        ("finetune --world.colour 1",
         "--world.colour: there is no such setting; expected rewrites, orders, resembling, colliding, seed"),
        ("pretrain --world.colliding 1.5", "--world.colliding: expected a number from 0 to 1, got 1.5; try 1"),
        ("run --world.colliding 0.9", "--world.resembling: expected resembling + colliding to be at most 1, got 1.1"),
        ("run facts --world.rewrites 2",
         "--world.rewrites: works with biographies only, because they are generated; got facts"),
        ("finetune read --world.seed 1", "--world.seed: cannot be given together with a run: read has its own facts"),
        ("pretrain --people 1", "--people: expected 2 to 100,000 people, got 1"),
        ("pretrain --recipe x", f"--recipe: expected {RECIPES}; got 'x'"),
        ("pretrain --objectives span=x",
         "--objectives: expected NAME=SHARE with commas between, such as span=1,recital=0.5; got 'span=x'"),
        ("pretrain --objectives ,",
         "--objectives: expected NAME=SHARE with commas between, such as span=1,recital=0.5; got ','"),
        ("run --people 2", "--people: expected questions about at least 2 people to split, got 1"),
        ("pretrain --objectives span=1,spam=2", f"--objectives: expected {ON_LINES}; got 'spam'; did you mean span?"),
        ("finetune --objectives poem=2", f"--objectives: expected {NAMES}; got 'poem'"),
        ("pretrain --objectives span=0", "--objectives: expected a share above 0 for span, got 0.0"),
        ("pretrain --objectives span,span", "--objectives: expected each objective once, got span twice"),
        ("pretrain --objectives answer",
         "--objectives: answer needs answers: use it in finetune"),
        ("pretrain facts --model.context 8",
         "--model.context: expected at least 25 tokens, for a question, a line and an answer; got 8"),
        ("pretrain facts --model.mixer x", f"--model.mixer: expected {MIXERS}; got 'x'"),
        ("pretrain facts --out read",
         "read: expected a new or empty folder for the run; --resume continues an old one"),
        ("pretrain --resume read --steps 5",
         "--resume: takes no other arguments: write only --resume read; the run keeps its own settings"),
        ("pretrain --resume read --precision auto",
         "--resume: takes no other arguments: write only --resume read; the run keeps its own settings"),
        ("finetune --resume known --distractors 0",
         "--resume: takes no other arguments: write only --resume known; the run keeps its own settings"),
        ("pretrain --resume known",
         "known: expected a run of pretrain, got one of finetune; "
         "to continue: attnlab knowledge finetune --resume known"),
        ("finetune none", "none: there is no such folder; expected the folder of a run"),
        ("finetune known", "known: expected a pretrained run, got a finetuned one"),
        ("finetune read --facts facts", "--facts: cannot be given together with a run: read has its own facts"),
        ("finetune read --people 5", "--people: cannot be given together with a run: read has its own facts"),
        ("finetune read --model.width 8", "--model.width: cannot be given together with a run: read has its own model"),
        ("finetune read --objectives span",
         "--objectives: expected answer or recited-answer among the objectives, got span"),
        ("finetune read --calibration 1", "--calibration: expected a share above 0 and below 1, such as 0.1; got 1.0"),
        ("evaluate read",
         "read: expected a finetuned run, got a pretrained one; finetune it first: attnlab knowledge finetune"),
        ("evaluate none", "none: there is no such folder; expected the folder of a run"),
        ("evaluate known --precision 0", "--precision: expected a number above 0 and at most 1, got 0.0"),
        ("evaluate known --seed -1", "--seed: expected a whole number from 0 to 2,147,483,648, got -1; try 0"),
        ("evaluate known --html page.png", "--html: expected a file that ends in .html, got 'page.png'"),
        ("ask known ''", "QUESTION: expected a question, got an empty one"),
        ("ask known", "QUESTION: expected a question, got no question"),
        ("ask known 'Where was Bo born?' --precision 2",
         "--precision: expected a number above 0 and at most 1, got 2.0"),
        ("run --variants x", "--variants: expected none, span, views, recital or own; got 'x'"),
        ("run --mixers ,",
         "--mixers: expected dot-product, sink, smeared, synthesizer, random-synthesizer or perceiver, "
         "or several with commas between them; got ','"),
        ("run --training.seed 1", "--training.seed: use --seed instead: it holds for all models"),
        ("run --training.rate x", "--training.rate: expected a number, got 'x'"),
        ("run --variants none,none", "--variants: expected each name once, got none twice"),
        ("run --mixers dot-product,x", f"--mixers: expected {MIXERS}; got 'x'"),
        ("run --recipes quick,x", f"--recipes: expected {RECIPES}; got 'x'"),
        ("run --seeds 0", "--seeds: expected a whole number from 1 to 100, got 0; try 1"),
        ("run --effort 0", "--effort: expected a number from 1e-06 to 1,000, got 0"),
        ("run --plot bars.txt", "--plot: expected a file that ends in .png, .svg or .html, got 'bars.txt'"),
        ("run --out read",
         "read: expected a new or empty folder for the run; --resume continues an old one"),
        ("run facts --model.context 8",
         "--model.context: expected at least 25 tokens, for a question, a line and an answer; got 8"),
    ],
)  # fmt: skip
def test_refusals(run, line, message, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\n \n")))
    words = shlex.split(line)
    assert run("knowledge", *words).refusal == f"attnlab knowledge {words[0]}: {message}"


@pytest.mark.parametrize(
    ("line", "batch", "name", "least"),
    [
        ("pretrain facts --objectives recital=1,span=0.02", 24, "span", 0.022),
        ("finetune read --objectives recital=1,answer=0.02 --batch 16", 16, "answer", 0.033),
    ],
)
def test_an_objective_that_would_never_be_learnt_is_refused_before_there_is_a_folder(run, line, batch, name, least):
    assert run("knowledge", *line.split(), "--out", "unmade").refusal == (
        f"attnlab knowledge {line.split()[0]}: --objectives: expected at least one row of each objective in a "
        f"batch of {batch}; got no row of {name}; the smallest share that works is {least}"
    )
    assert not Path("unmade").exists()


def test_a_run_of_another_kind_is_refused(run, tmp_path):
    (tmp_path / "text.txt").write_text("The cat sat on the mat.\n" * 20)
    assert run("train", str(tmp_path / "text.txt"), "--model", "ngram", "--out", "counts", "--json").code == 0
    assert run("knowledge", "evaluate", "counts").refusal == (
        "attnlab knowledge evaluate: counts: expected a run of attnlab knowledge, got the run of a language model; "
        "make one with attnlab knowledge pretrain"
    )
    assert run("knowledge", "finetune", "counts").refusal.endswith("; make one with attnlab knowledge pretrain")


def test_the_second_word_is_needed(run):
    parts = " or ".join(name for name in COMMANDS if name.startswith("knowledge "))
    assert run("knowledge").refusal == f"attnlab: expected {parts}; attnlab knowledge --help explains them"


@pytest.mark.parametrize(
    "line",
    ["knowledge pretrain --batch 1000000000 --out large", "knowledge run --training.batch 1000000000 --out large"],
)
def test_a_batch_that_does_not_fit_is_refused_before_there_is_a_folder(run, tmp_path, monkeypatch, line):
    monkeypatch.chdir(tmp_path)
    assert "parameters with this batch need about" in run(*line.split()).refusal
    assert not (tmp_path / "large").exists()
