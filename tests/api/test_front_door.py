"""`import attnlab as al`: every public name is called here, and every result is a whole record."""

import csv
import inspect
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args, get_type_hints
from urllib.request import urlopen

import numpy as np
import pytest

import attnlab as al
from attnlab.api import options
from attnlab.benches.attention.settings import RemediesSettings, RobustnessSettings, WeighSettings
from attnlab.benches.knowledge.configuring import pretraining
from attnlab.benches.knowledge.sweeps.settings import PlainSweepSettings
from attnlab.benches.language import TrainedRun
from attnlab.benches.language.plans import TrainingPlan
from attnlab.evaluation.heads.settings import AblationSettings, ScoreSettings
from attnlab.evaluation.settings import PRECISIONS, EvaluationSettings, MeasureSettings
from attnlab.progress import SILENT
from attnlab.records import Record, presentation
from attnlab.settings import option_names, option_types
from attnlab.training.classifier.settings import ClassifierTraining
from attnlab.training.language.config import TRAINING_CLASSES
from attnlab.training.settings import Training

pytestmark = pytest.mark.usefixtures("as_installed")

TEXT = "The cat sat on the mat. The dog sat, too.\n" * 40
TABLE = "pos\tA fine film.\nneg\tDull, and too long.\n" * 20
ANSWERS = "student,problem,answer\nada,copy,q = C k_j\n"


@dataclass(frozen=True)
class Lab:
    """A folder with a run of each bench, made by the verbs that make runs."""

    run: Any
    critic: Any
    read: Any
    known: Any


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The folder is the working one, so that every path is short."""
    folder = tmp_path_factory.mktemp("lab")
    (folder / "text.txt").write_text(TEXT)
    (folder / "table.tsv").write_text(TABLE)
    (folder / "class.csv").write_text(ANSWERS)
    for name, rows in (("keys", "1,0\n0,1\n-1,-1\n"), ("a", "1\n0\n"), ("b", "1\n1\n")):
        (folder / f"{name}.csv").write_text(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        run = al.train("text.txt", model={"kind": "ngram", "order": 3}, tokens="characters", out="counts")
        critic = al.classify.train("table.tsv", epochs=1, out="critic")
        read = al.knowledge.pretrain(people=20, model={"width": 32}, steps=5, batch=8, out="read")
        known = al.knowledge.finetune(read, steps=5, batch=8, out="known")
        yield Lab(run, critic, read, known)


def _exported(_: Lab) -> Record:
    shape = {"layers": 1, "heads": 1, "width": 8, "context": 8, "positions": "learned", "norm": "layer"}
    model = {"kind": "transformer", **shape, "qk_norm": False}
    run = al.train("text.txt", model=model, tokens="bytes", steps=2, out="small")
    assert isinstance(run, TrainedRun)
    return al.export(run.path, to="for-others")


def _scored(_: Lab) -> Record:
    model = {"kind": "transformer", "layers": 1, "heads": 2, "width": 8, "context": 16}
    if not Path("attentive").exists():
        al.train("text.txt", model=model, tokens="bytes", steps=2, out="attentive")
    return al.heads("attentive", explain=True)


def test_a_dry_run_is_a_plan_and_makes_no_folder(lab):
    before = set(Path().iterdir())
    plan = al.train("text.txt", model="bigram", steps=10, seeds=3, threads=1, out="not-yet", dry_run=True)
    assert isinstance(plan, TrainingPlan)
    assert (plan.to_dict()["training"]["steps"], plan.seeds) == (10, 3)
    assert plan.estimate.seconds is not None
    assert plan.command == "attnlab train text.txt --model bigram --tokens characters --steps 10 --seeds 3 --dry-run"
    assert set(Path().iterdir()) == before


def _refused(call: Callable[[], Any], why: str) -> None:
    """A call that cannot be answered here says why, in an error of the lab."""
    with pytest.raises(al.AttnlabError, match=why):
        call()


# Every public name, and a call of it: a record, or None where the call is a test of what cannot be answered.
CALLS = {
    "train": lambda lab: lab.run,
    "resume": lambda lab: al.resume(lab.run.path),
    "open": lambda lab: al.open(lab.run.path).sample("The ", length=9, seed=1),
    "runs": lambda lab: al.runs("."),
    "compare": lambda lab: al.compare("counts", "counts"),
    "recipes": lambda lab: al.recipes(),
    "export": _exported,
    "datasets": lambda lab: al.datasets(),
    "download": lambda lab: _refused(lambda: al.download("topics"), "comes with Python"),
    "perplexity": lambda lab: al.perplexity(lab.run.model, "counts", text="text.txt", explain=True),
    "GivenText": lambda lab: al.perplexity("counts", text=al.GivenText("The mat sat on the cat. " * 9)),
    "audit": lambda lab: al.audit("counts"),
    "heads": _scored,
    "robustness": lambda lab: al.robustness(keys=3),
    "remedies": lambda lab: al.remedies(keys=2, norm_variance=0.0, heads=1),
    "design": lambda lab: al.design("keys.csv", copy=0),
    "weigh": lambda lab: al.weigh("keys.csv", [[1.0, 1.0]], {0: 1.0}, norm_variance=0.5, noisy=(0,)),
    "extract": lambda lab: al.extract("a.csv", "b.csv"),
    "construct": lambda lab: al.construct("x1 = a; x2 = b"),
    "check": lambda lab: al.check("two-heads", "q_1 = C mu_a", "q_2 = C mu_b"),
    "grade": lambda lab: al.grade("class.csv", out="graded.csv"),
    "problems": lambda lab: al.problems(),
    "claims": lambda lab: al.claims("perplexity-base"),
    "run": lambda lab: al.run(only="perplexity", out="report"),
    "classify.train": lambda lab: lab.critic,
    "classify.open": lambda lab: al.classify.open("critic").explain("A fine film."),
    "classify.evaluate": lambda lab: al.classify.evaluate("critic", "table.tsv"),
    "classify.predict": lambda lab: al.classify.predict("critic", ["A fine film."]),
    "classify.explain": lambda lab: al.classify.explain("critic", text="A dull film."),
    "knowledge.pretrain": lambda lab: lab.read,
    "knowledge.finetune": lambda lab: lab.known,
    "knowledge.open": lambda lab: al.knowledge.open("known").ask(lab.known.example),
    "knowledge.people": lambda lab: al.knowledge.people("known", ask=True),
    "knowledge.ask": lambda lab: al.knowledge.ask("known", lab.known.example),
    "knowledge.evaluate": lambda lab: al.knowledge.evaluate("known"),
    "studio": lambda lab: start_and_stop_the_studio(),
    "knowledge.thresholds": lambda lab: al.knowledge.open("known").thresholds(),
    "knowledge.run": lambda lab: al.knowledge.run(people=12, effort=0.001, variants=("none",), seeds=1, out="table"),
}
WITHOUT_CHART = {
    "audit",
    "check",
    "claims",
    "classify.predict",
    "datasets",
    "export",
    "knowledge.people",
    "knowledge.thresholds",
    "open",
    "problems",
    "recipes",
}
"""Results that are a text or a list: docs/python.md names them."""
NOT_CALLED = {"AttnlabError", "ArgumentError", "FileError", "StoppedError", "__version__"}
PACKAGES = {"answers", "attention"}


def start_and_stop_the_studio() -> None:
    """Its server answers to the address, and ends."""
    found = al.studio(browser=False)
    try:
        with urlopen(found.url) as page:
            assert "attnlab" in page.read().decode()
        assert found.process.poll() is None
    finally:
        found.stop()
    assert found.process.returncode is not None


def test_every_public_name_is_called_here():
    verbs = set(al.__all__) - NOT_CALLED - PACKAGES - {"classify", "knowledge"}
    grouped = {f"{group}.{name}" for group in ("classify", "knowledge") for name in getattr(al, group).__all__}
    assert verbs | grouped == set(CALLS)


def test_the_docs_list_every_verb():
    page = (Path(__file__).parents[2] / "docs" / "python.md").read_text()
    table = page.partition("| bench | verbs |")[2].partition("\n\n")[0]
    rows = [re.findall(r"`([\w.]+)`", line.split("|")[2]) for line in table.splitlines()[2:]]
    of_heads = {f"heads.{name}" for name in vars(type(al.heads)) if not name.startswith("_")}
    assert sorted(name for row in rows for name in row) == sorted({*CALLS, *of_heads})


def test_dir_lists_what_there_is_and_nothing_else():
    assert dir(al) == sorted(al.__all__)
    assert all(getattr(al, name) is not None for name in dir(al))
    with pytest.raises(AttributeError, match="has no attribute 'learn'"):
        al.learn  # noqa: B018 (the access is the test)


@pytest.fixture(scope="module")
def called(lab):
    """The record that a call gives; no test changes it."""
    return cache(lambda name: CALLS[name](lab))


def test_opened_models_show_what_they_are_in_a_notebook(lab):
    for model, words in (
        (al.open("counts"), ("language model", "counts", "characters", "context window", "text.txt", ".score(TEXT)")),
        (al.classify.open("critic"), ("classifier", "critic", "neg, pos", ".explain(TEXT)")),
        (al.knowledge.open("known"), ("finetuned model", "known", "it recites a line", ".ask(QUESTION)")),
    ):
        shown = model._repr_html_()
        assert all(word in shown for word in words), shown
        assert "<script" not in shown


def test_the_wanted_precisions_give_the_thresholds_of_evaluate(lab):
    model = al.knowledge.open("known")
    found = model.thresholds()
    assert [each["precision_wanted"] for each in found.to_dict()["thresholds"]] == list(PRECISIONS)
    for row in (found.rows[0], found.rows[8]):
        whole = model.evaluate(row.threshold.precision)
        assert whole.knowledge.confidence is not None
        assert row.as_json() == whole.knowledge.confidence.as_json()
        assert found.evaluation(row).command == whole.command
    assert al.knowledge.thresholds("known").to_dict() == found.to_dict()


def test_objectives_are_given_by_name_or_as_they_are_typed():
    by_name, typed = {"span": 1, "recital": 0.5}, "span=1, recital=0.5"
    assert pretraining(objectives=by_name).lesson == pretraining(objectives=typed).lesson
    with pytest.raises(al.ArgumentError, match="objectives: expected each objective once, got span twice"):
        al.knowledge.pretrain(objectives="span=1,span=2")


def test_an_evaluation_of_an_opened_model_names_an_argument_of_a_wrong_type(lab):
    wrong: Any = "high"
    with pytest.raises(al.ArgumentError, match="precision: expected a number, got 'high'"):
        lab.known.model.evaluate(wrong)


def test_reading_a_table_of_runs_is_watched(lab, monkeypatch):
    watched = []
    monkeypatch.setattr("attnlab.api.language.watching", lambda: watched.append(SILENT) or SILENT)
    al.runs(".")
    assert watched


@pytest.mark.parametrize("name", CALLS)
def test_every_verb_gives_a_whole_record(name, called, tmp_path):
    found = called(name)
    if found is None:
        return
    assert isinstance(found, Record)
    assert "object at 0x" not in repr(found)
    assert repr(found).strip()
    shown = found._repr_html_()
    assert "<script" not in shown
    assert 'src="http' not in shown
    json.dumps(found.to_dict(), allow_nan=False)
    assert "attnlab " in found.command
    compile(found.python, name, "exec")
    assert json.loads(found.save(tmp_path / "found.json").read_text()) == json.loads(json.dumps(found.to_dict()))
    assert "<html" in found.save(tmp_path / "found.html").read_text()
    assert (presentation(found).draw is None) == (name in WITHOUT_CHART)
    header, *rows = csv.reader(found.save(tmp_path / "found.csv").read_text().splitlines())
    assert header
    assert rows


@pytest.mark.parametrize(
    "name",
    [
        "train",
        "runs",
        "perplexity",
        "heads",
        "robustness",
        "remedies",
        "classify.evaluate",
        "knowledge.evaluate",
    ],
)
def test_results_with_a_chart_draw_it(name, called, tmp_path):
    found = called(name)
    assert found.plot().to_dict().keys() & {"layer", "mark", "hconcat", "vconcat"}
    assert found.save(tmp_path / "chart.svg").read_text().startswith("<svg")
    assert found.save(tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")


OPTIONS = {
    options.TrainingOptions: Training,
    options.MeasureOptions: MeasureSettings,
    options.AblationOptions: AblationSettings,
    options.ScoreOptions: ScoreSettings,
    options.WeighOptions: WeighSettings,
    options.ClassifierOptions: ClassifierTraining,
    options.SweepOptions: PlainSweepSettings,
}


@pytest.mark.parametrize("typed", OPTIONS, ids=lambda typed: typed.__name__)
def test_the_options_that_editors_see_are_the_settings(typed):
    settings = OPTIONS[typed]
    ours, theirs = get_type_hints(typed), get_type_hints(settings)
    assert list(ours) == option_names(settings)
    for name, hint in ours.items():
        assert set(get_args(hint)) == set(get_args(theirs[name])), name


def test_the_options_of_training_are_those_of_every_kind_of_model():
    assert set(get_type_hints(options.LanguageOptions)) == set(option_types(*TRAINING_CLASSES))


@pytest.mark.parametrize(
    ("verb", "names"),
    [
        (al.robustness, option_names(RobustnessSettings)),
        (al.remedies, option_names(RemediesSettings)),
        (
            al.train,
            [
                "text",
                "recipe",
                "model",
                "tokens",
                "training",
                "vectors",
                "seeds",
                "threads",
                "out",
                "jobs",
                "cluster",
                "dry_run",
                *get_type_hints(options.LanguageOptions),
            ],
        ),
        (al.perplexity, ["models", "text", "jobs", "cluster", *option_names(MeasureSettings)]),
        (al.heads, ["model", "text", *option_names(ScoreSettings)]),
        (al.knowledge.evaluate, ["run", *option_names(EvaluationSettings)]),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_a_notebook_completes_the_settings_of_a_verb(verb, names):
    assert list(inspect.signature(verb).parameters) == names


def test_the_options_of_a_course_are_those_of_training_and_of_its_bench():
    own = get_type_hints(options.CourseOptions).keys() - get_type_hints(options.TrainingOptions).keys()
    assert own == inspect.signature(pretraining).parameters.keys() - {"facts", "recipe", "training"}


# For every verb a call whose argument has a wrong type, and the line that says so.
WRONG: dict[str, tuple[Callable[[Any], Any], str]] = {
    "train": (lambda wrong: al.train(out=wrong), "out: expected a text, a path or None"),
    "resume": (al.resume, "run: expected a text or a path"),
    "open": (lambda wrong: al.open("run", device=wrong), "device: expected auto, cpu or cuda"),
    "runs": (al.runs, "folder: expected a text or a path"),
    "compare": (lambda wrong: al.compare(wrong, wrong), "paths: expected a path or a text"),
    "recipes": (al.recipes, "name: expected a text"),
    "export": (lambda wrong: al.export("run", wrong), "to: expected a path or a text"),
    "download": (al.download, "name: expected a text"),
    "perplexity": (lambda wrong: al.perplexity(wrong, text="t"), "models: expected a text, a path or a LanguageModel"),
    "GivenText": (al.GivenText, "text: expected a text"),
    "audit": (al.audit, "model: expected a text, a path or a LanguageModel"),
    "heads": (al.heads, "model: expected a text, a path, a LanguageModel or a TrainedRun"),
    "robustness": (lambda wrong: al.robustness(keys=wrong), "keys: expected a whole number"),
    "remedies": (lambda wrong: al.remedies(heads=wrong), "heads: expected a whole number"),
    "design": (lambda wrong: al.design([[1.0]], copy=wrong), "copy: expected a whole number or None"),
    "weigh": (lambda wrong: al.weigh([[1.0]], [[1.0]], mix=wrong), "mix: expected a dict"),
    "extract": (lambda wrong: al.extract(wrong, wrong), "a: expected a Tensor, a ndarray, a list, a text or a path"),
    "construct": (lambda wrong: al.construct("x1 = a", wrong), "wants: expected a text, a dict or None"),
    "check": (al.check, "problem: expected a text, a path or a Problem"),
    "grade": (al.grade, "path: expected a text or a path"),
    "problems": (al.problems, "problem: expected a text, a path, a Problem or None"),
    "claims": (lambda wrong: al.claims(seed=wrong), "seed: expected a whole number"),
    "run": (lambda wrong: al.run(only=wrong), "only: expected a text, a list or None"),
    "classify.train": (lambda wrong: al.classify.train(model=wrong), "model: expected a dict or None"),
    "classify.open": (al.classify.open, "run: expected a text or a path"),
    "classify.evaluate": (lambda wrong: al.classify.evaluate("run", wrong), "data: expected a text or a path"),
    "classify.predict": (lambda wrong: al.classify.predict("run", wrong), "texts: expected a list or a path"),
    "classify.explain": (lambda wrong: al.classify.explain("run", errors=wrong), "errors: expected a whole number"),
    "knowledge.pretrain": (
        lambda wrong: al.knowledge.pretrain(people=wrong),
        "people: expected a whole number or None",
    ),
    "knowledge.finetune": (al.knowledge.finetune, "run: expected a text, a path or a Pretrained"),
    "knowledge.open": (al.knowledge.open, "run: expected a text or a path"),
    "knowledge.people": (al.knowledge.people, "run: expected a text or a path"),
    "knowledge.ask": (lambda wrong: al.knowledge.ask("run", wrong), "questions: expected a text"),
    "knowledge.evaluate": (al.knowledge.evaluate, "run: expected a text, a path or a KnownModel"),
    "studio": (al.studio, "model: expected a text, a path, a LanguageModel or a TrainedRun"),
    "knowledge.thresholds": (al.knowledge.thresholds, "run: expected a text, a path or a KnownModel"),
    "knowledge.run": (lambda wrong: al.knowledge.run(recipes=wrong), "recipes: expected a text or a list"),
}


def test_every_verb_with_arguments_is_called_wrongly_here():
    assert CALLS.keys() - WRONG.keys() == {"datasets"}


@pytest.mark.parametrize("name", WRONG)
def test_an_argument_of_a_wrong_type_is_named_in_one_line(name):
    call, message = WRONG[name]
    with pytest.raises(al.ArgumentError) as refused:
        call(0.5)
    assert str(refused.value) == f"{message}, got 0.5"


@pytest.mark.parametrize("path", ["a" * 5000, "\0", "\ud800"])
def test_a_path_that_cannot_be_is_an_error_of_the_lab_in_every_verb(lab, path):
    ngram: Any = {"model": "ngram"}
    calls = [
        lambda: al.open(path), lambda: al.resume(path), lambda: al.runs(path), lambda: al.compare(path, "counts"),
        lambda: al.export(path, to="new"), lambda: al.export("counts", to=path), lambda: al.audit(path),
        lambda: al.heads(path), lambda: al.heads.look(path, "x"), lambda: al.heads.ablate(path),
        lambda: al.heads.theory(path), lambda: al.heads.composition(path), lambda: al.heads.over_time(path),
        lambda: al.train(path, **ngram), lambda: al.train("text.txt", out=path, **ngram),
        lambda: al.train("text.txt", model="bigram", vectors=path, steps=1),
        lambda: al.perplexity(path, text="text.txt"),
        lambda: al.perplexity("counts", text=path), lambda: al.perplexity("counts", text=["text.txt", path]),
        lambda: al.design(path, copy=0), lambda: al.extract(path, [[1]]), lambda: al.construct(path, "1: a"),
        lambda: al.weigh(path, [[1]], {0: 1}), lambda: al.check(path, "q = k_a"), lambda: al.grade(path),
        lambda: al.grade("class.csv", out=path), lambda: al.problems(path), lambda: al.run(only="units", out=path),
        lambda: al.classify.train(path), lambda: al.classify.train("table.tsv", out=path),
        lambda: al.classify.train("table.tsv", vectors=path), lambda: al.classify.open(path),
        lambda: al.classify.evaluate("critic", path), lambda: al.classify.predict(path, "x"),
        lambda: al.classify.explain("critic", path), lambda: al.knowledge.pretrain(path),
        lambda: al.knowledge.finetune(path), lambda: al.knowledge.run(path), lambda: al.knowledge.open(path),
        lambda: al.knowledge.ask(path, "Who?"), lambda: al.knowledge.people(path), lambda: al.knowledge.evaluate(path),
        lambda: al.knowledge.thresholds(path), lambda: al.robustness(keys=3).save(f"{path}.json"),
    ]  # fmt: skip
    for number, call in enumerate(calls):
        with pytest.raises(al.AttnlabError) as raised:
            call()
        assert "\n" not in str(raised.value), number


def test_numbers_in_one_row_are_no_matrix():
    with pytest.raises(al.ArgumentError, match=r"^a: expected two axes"):
        al.extract(np.array([np.nan]), np.array([[1.0]]))


def test_an_argument_that_is_missing_or_unknown_is_named():
    missing: Any = al.open, lambda: al.perplexity("a", "b")  # pyright: ignore[reportCallIssue]
    for call, message in zip(missing, ("model: expected a text or a path", "text: expected a text"), strict=True):
        with pytest.raises(al.ArgumentError, match=f"^{message}.*, got no value$"):
            call()
    with pytest.raises(al.ArgumentError, match=r"^place: there is no such argument; expected run or to$"):
        al.export("run", place="folder")  # pyright: ignore[reportCallIssue]


def test_methods_of_opened_models_name_an_argument_of_a_wrong_type(lab):
    calls = {
        "text: expected a text, got None": lambda: lab.run.model.score(None),
        "length: expected a whole number, got 'x'": lambda: lab.run.model.sample("The ", length="x"),
        "heat: there is no such setting": lambda: lab.run.model.sample("The ", heat=2),
        "questions: expected a text, got 5": lambda: lab.known.model.ask(5),
        "label: expected a text or None, got 5": lambda: lab.critic.model.explain("A fine film.", 5),
        "model: expected a text, a dict, ": lambda: al.train("text.txt", model=None),  # pyright: ignore
    }
    for message, call in calls.items():
        with pytest.raises(al.ArgumentError, match=f"^{message}"):
            call()


def test_a_text_given_in_python_is_written_by_the_command(lab):
    given = al.perplexity("counts", text=[al.GivenText("The cat sat. " * 9, "cats"), "text.txt"]).command
    assert given.startswith("printf %s 'The cat sat. ")
    written = r" > (given-cats-[0-9a-f]{8}\.txt) && attnlab perplexity counts --text \1 text.txt$"
    assert re.search(written, given)
    assert al.perplexity("counts", text="text.txt").command == "attnlab perplexity counts --text text.txt"


def test_a_check_without_a_formula_explains_the_problem_or_checks_its_samples(lab, again):
    found = al.check("copy")
    assert found.to_dict() == al.problems("copy").to_dict()
    assert again(found) == found.to_dict()
    Path("own.toml").write_bytes((files("attnlab.answers") / "problems" / "copy.toml").read_bytes())
    assert again(al.check("own.toml"))["samples"]
    assert again(al.problems("own.toml"))


def test_a_setting_that_there_is_not_is_named():
    calls = {
        "kees": lambda: al.robustness(kees=3),  # pyright: ignore[reportCallIssue]
        "model.layer": lambda: al.train("topics", model={"kind": "transformer", "layer": 3}),
        "minute": lambda: al.train("topics", minute=3),  # pyright: ignore[reportCallIssue]
        "epoch": lambda: al.classify.train("reviews", epoch=3),  # pyright: ignore[reportCallIssue]
        "seedz": lambda: al.knowledge.run(seedz=3),  # pyright: ignore[reportCallIssue]
        "world.moon": lambda: al.knowledge.pretrain(world={"moon": 3}),
    }
    for name, call in calls.items():
        with pytest.raises(al.ArgumentError, match=f"^{name}: there is no such setting"):
            call()
    with pytest.raises(al.ArgumentError, match="keys: expected a whole number from 2 to 5,000, got -3; try 2"):
        al.robustness(keys=-3)


def test_importing_it_brings_nothing_heavy():
    heavy = "('torch', 'altair', 'pydantic', 'rich', 'scipy', 'numpy')"
    code = f"import sys, attnlab; dir(attnlab); print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_verb_in_a_script_prints_no_progress_into_its_output(tmp_path):
    code = "import attnlab as al; print(al.check('copy', 'q = C k_j').holds)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == "True\n"
    assert not list(Path(tmp_path).iterdir())


def test_numbers_of_numpy_and_paths_are_taken_and_other_things_are_named():
    given: Any = {"keys": np.int64(3), "scale": np.float64(5)}
    assert al.robustness(**given).error == al.robustness(keys=3, scale=5.0).error
    with pytest.raises(al.ArgumentError, match="expected numbers, texts and lists of them"):
        al.robustness(quantiles=(object(),))  # pyright: ignore[reportArgumentType]


def test_a_half_that_there_is_not_is_named(lab):
    with pytest.raises(al.ArgumentError, match="part: expected train or test, got 'Train'"):
        al.classify.evaluate("critic", "table.tsv", part="Train")  # pyright: ignore[reportArgumentType]


def test_half_a_character_is_saved(lab, tmp_path):
    """A token of a byte model may be a part of a character, which UTF-8 cannot hold."""
    al.train("text.txt", model="ngram", tokens="bytes", out="by-byte")
    found = al.open("by-byte").score("é")
    assert json.loads(found.save(tmp_path / "found.json").read_text()) == json.loads(json.dumps(found.to_dict()))
    assert len(found.save(tmp_path / "found.csv").read_text().splitlines()) == 3


def test_a_damaged_run_is_a_row_of_the_table(lab, tmp_path):
    for name, damage in (("a", {"validation": {"bits_per_byte": "x"}}), ("b", {"validation": []})):
        shutil.copytree("counts", tmp_path / name)
        (tmp_path / name / "result.json").write_text(json.dumps(damage))
    shutil.copytree("counts", tmp_path / "c")
    states = {Path(row.run).name: row.state for row in al.runs(tmp_path).rows}
    assert states["c"] == "finished"
    assert states["a"].startswith("damaged")
