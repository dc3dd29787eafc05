"""`import attnlab as al`: every public name is called here, and every result is a whole record."""

import csv
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest

import attnlab as al
from attnlab.api import options
from attnlab.benches.attention.settings import AveragingSettings, RemediesSettings, RobustnessSettings
from attnlab.benches.knowledge.evaluating import EvaluationSettings
from attnlab.benches.knowledge.sweeps.settings import SweepOptions
from attnlab.benches.perplexity import MeasureSettings
from attnlab.records import Record
from attnlab.settings import option_names, option_types
from attnlab.training.classifier.settings import ClassifierTraining
from attnlab.training.language.config import TRAININGS
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
    return al.export(run.path, to="for-others")


def _refused(call: Callable[[], Any], why: str) -> None:
    """A call that cannot be answered here says why, in an error of the lab."""
    with pytest.raises(al.AttnlabError, match=why):
        call()


# Every public name, and a call of it: a record, or None where the call is a test of what cannot be answered.
CALLS = {
    "train": lambda lab: lab.run,
    "resume": lambda lab: _refused(lambda: al.resume(lab.run.path), "this run is finished"),
    "open": lambda lab: al.open(lab.run.path).sample("The ", length=9, seed=1),
    "list_runs": lambda lab: al.list_runs("."),
    "compare": lambda lab: al.compare("counts", "counts"),
    "export": _exported,
    "datasets": lambda lab: al.datasets(),
    "download": lambda lab: _refused(lambda: al.download("topics"), "comes with Python"),
    "perplexity": lambda lab: al.perplexity(lab.run.model, "counts", text="text.txt", explain=True),
    "GivenText": lambda lab: al.perplexity("counts", text=al.GivenText("The mat sat on the cat. " * 9)),
    "audit": lambda lab: al.audit("counts"),
    "robustness": lambda lab: al.robustness(keys=3),
    "remedies": lambda lab: al.remedies(keys=2, norm_variance=0.0, heads=1),
    "design": lambda lab: al.design("keys.csv", copy=0),
    "extract": lambda lab: al.extract("a.csv", "b.csv"),
    "construct": lambda lab: al.construct("x1 = a; x2 = b"),
    "check": lambda lab: al.check("two-heads", "q_1 = C mu_a", "q_2 = C mu_b"),
    "grade": lambda lab: al.grade("class.csv", out="graded.csv"),
    "problems": lambda lab: al.problems(),
    "findings": lambda lab: al.findings("perplexity-base"),
    "run": lambda lab: al.run(only="perplexity", out="report"),
    "classify.train": lambda lab: lab.critic,
    "classify.open": lambda lab: al.classify.open("critic").explain("A fine film."),
    "classify.evaluate": lambda lab: al.classify.evaluate("critic", "table.tsv"),
    "classify.predict": lambda lab: al.classify.predict("critic", ["A fine film."]),
    "classify.explain": lambda lab: al.classify.explain("critic", text="A dull film."),
    "knowledge.pretrain": lambda lab: lab.read,
    "knowledge.finetune": lambda lab: lab.known,
    "knowledge.resume": lambda lab: _refused(lambda: al.knowledge.resume("known"), "this run is finished"),
    "knowledge.open": lambda lab: al.knowledge.open("known").ask(lab.known.example),
    "knowledge.ask": lambda lab: al.knowledge.ask("known", lab.known.example),
    "knowledge.evaluate": lambda lab: al.knowledge.evaluate("known"),
    "knowledge.run": lambda lab: al.knowledge.run(people=12, effort=0.001, variants=("none",), seeds=1, out="table"),
}
WITHOUT_ROWS = {"open"}
NOT_CALLED = {"AttnlabError", "ArgumentError", "FileError", "StoppedError", "__version__"}
PACKAGES = {"answers", "attention", "claims"}


def test_every_public_name_is_called_here():
    verbs = set(al.__all__) - NOT_CALLED - PACKAGES - {"classify", "knowledge"}
    grouped = {f"{group}.{name}" for group in ("classify", "knowledge") for name in getattr(al, group).__all__}
    assert verbs | grouped == set(CALLS)


def test_dir_lists_what_there_is_and_nothing_else():
    assert dir(al) == sorted(al.__all__)
    assert all(getattr(al, name) is not None for name in dir(al))
    with pytest.raises(AttributeError, match="has no attribute 'learn'"):
        al.learn  # noqa: B018 (the access is the test)


@pytest.mark.parametrize("name", CALLS)
def test_every_verb_gives_a_whole_record(name, lab, tmp_path):
    found = CALLS[name](lab)
    if found is None:
        return
    assert isinstance(found, Record)
    assert "object at 0x" not in repr(found)
    assert repr(found).strip()
    shown = found._repr_html_()
    assert "<script" not in shown
    assert 'src="http' not in shown
    json.dumps(found.to_dict(), allow_nan=False)
    assert found.command.startswith("attnlab ")
    assert json.loads(found.save(tmp_path / "found.json").read_text()) == json.loads(json.dumps(found.to_dict()))
    assert "<html" in found.save(tmp_path / "found.html").read_text()
    if name in WITHOUT_ROWS:
        with pytest.raises(al.ArgumentError, match=r"this result has no rows for a \.csv file"):
            found.save(tmp_path / "found.csv")
        return
    header, *rows = csv.reader(found.save(tmp_path / "found.csv").read_text().splitlines())
    assert header
    assert rows


@pytest.mark.parametrize(
    "name",
    [
        "train",
        "list_runs",
        "perplexity",
        "robustness",
        "remedies",
        "findings",
        "classify.evaluate",
        "knowledge.evaluate",
    ],
)
def test_results_with_a_chart_draw_it(name, lab, tmp_path):
    found = CALLS[name](lab)
    assert "layer" in found.plot().to_dict() or "mark" in found.plot().to_dict() or "hconcat" in found.plot().to_dict()
    assert found.save(tmp_path / "chart.svg").read_text().startswith("<svg")
    assert found.save(tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")


OPTIONS = {
    options.TrainingOptions: Training,
    options.AveragingOptions: AveragingSettings,
    options.RobustnessOptions: RobustnessSettings,
    options.RemediesOptions: RemediesSettings,
    options.MeasureOptions: MeasureSettings,
    options.ClassifierOptions: ClassifierTraining,
    options.EvaluationOptions: EvaluationSettings,
    options.SweepOptions: SweepOptions,
}


@pytest.mark.parametrize("typed", OPTIONS, ids=lambda typed: typed.__name__)
def test_the_options_that_editors_see_are_the_settings(typed):
    settings = OPTIONS[typed]
    ours, theirs = get_type_hints(typed), get_type_hints(settings)
    assert list(ours) == option_names(settings)
    for name, hint in ours.items():
        assert set(get_args(hint)) == set(get_args(theirs[name])), name


def test_the_options_of_training_are_those_of_every_kind_of_model():
    assert set(get_type_hints(options.LanguageOptions)) == set(option_types(*TRAININGS.values()))


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
    with pytest.raises(al.ArgumentError, match="keys: expected from 2 to 5,000, got -3"):
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
    states = {Path(row.run).name: row.state for row in al.list_runs(tmp_path).rows}
    assert states["c"] == "finished"
    assert states["a"].startswith("damaged")
