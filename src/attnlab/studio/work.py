"""What the process of a job does: `python -m attnlab.studio.work FOLDER`.

A kind of work is a function that takes the arguments of the request and an observer, and returns a `Result`.
"""

import json
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from attnlab.contents import Content
from attnlab.errors import AttnlabError
from attnlab.files import remove, write_whole
from attnlab.progress import CountedTask, Observer, WatchedTask
from attnlab.records import Record, presentation
from attnlab.studio.files import shown_record
from attnlab.studio.jobs import Job

LAST_GRADED = 10
"""The most answers of a class that are shown while it is graded, the newest first."""
REFRESH = 0.2
"""The shortest time between two writings of the progress, in seconds."""


@dataclass(frozen=True)
class Result:
    """The record of a job, and what a page shows beside it."""

    record: Record
    beside: Mapping[str, Any] = field(default_factory=dict)


def gives(record: str, **beside: Any) -> Content:
    """What result.json of a kind of work has: the class of the record, and what a page shows beside it."""
    return Content(record=record, command=str, python=str, downloads=list[str], **beside)


@gives("claims.findings:Findings", evidence={str: "studio.evidence:evidence"})
def claims(arguments: Mapping[str, Any], observer: Observer) -> Result:
    """Run claims with a seed."""
    from attnlab.claims import run_claims
    from attnlab.parallel import Workers
    from attnlab.studio.evidence import evidence

    ids, seed = list(arguments["ids"]), int(arguments["seed"])
    found = run_claims(*ids, seed=seed, workers=Workers(), observer=observer)
    return Result(found, {"evidence": {each.claim.id: evidence(found, each) for each in found.results}})


@gives("answers.checking:Verdict", checked="studio.routes.answers:ShownVerdict")
def answer(arguments: Mapping[str, Any], observer: Observer) -> Result:
    """Check one answer, however long it takes."""
    from attnlab.answers import check
    from attnlab.studio.checking import find, told_verdict

    problem, formulas = find(arguments), [each for each in arguments["formulas"] if each.strip()]
    with observer.task("checking exactly"):
        found = check(problem, *formulas)
    return Result(found, {"checked": told_verdict(found, problem)})


@gives("answers.grading.grading:Grades", grades="studio.checking:told_grades")
def grade(arguments: Mapping[str, Any], observer: Observer) -> Result:
    """Grade a class."""
    from attnlab.answers import grade, graded_path, load_problem
    from attnlab.studio.checking import told_grades

    path, problem = Path(arguments["path"]), arguments["problem"]
    last: deque[str] = deque(maxlen=LAST_GRADED)

    def heard(name: str, answer: str, verdict: str) -> None:
        last.append(f"{verdict}: {name}, {' '.join(answer.split())[:80]}")
        observer.say("\n".join(reversed(last)))

    extra = [load_problem(problem)] if problem else []
    found = grade(path, graded_path(path), extra, observer, heard)
    return Result(found, {"grades": told_grades(found)})


@gives("benches.sentiment.trained:TrainedClassifiers")
def classify_train(arguments: Mapping[str, Any], observer: Observer) -> Result:
    """Train a classifier on the generated reviews, for three epochs."""
    from attnlab.benches import sentiment

    found = sentiment.train("reviews", sentiment.configure(training={"epochs": 3}), observer=observer)
    return Result(found)


@gives("benches.sentiment.reasons:ExplainedErrors", kinds=["studio.reasons:shown_kind"])
def classify_errors(arguments: Mapping[str, Any], observer: Observer) -> Result:
    """Explain the errors of a classifier on the generated reviews."""
    from attnlab.benches import sentiment
    from attnlab.studio.reasons import shown_kinds

    found = sentiment.open_classifier(str(arguments["run"])).errors(observer=observer)
    return Result(found, {"kinds": shown_kinds(found)})


@gives("benches.language.finished:TrainedRun")
def train(arguments: Mapping[str, Any], observer: Observer) -> Result:
    """Train a run; before it, if asked for, an n-gram model on the same text and tokens, to compare with."""
    from attnlab.benches import language
    from attnlab.benches.language.configuring import baseline
    from attnlab.benches.language.seeds import with_curves
    from attnlab.settings import read
    from attnlab.training.language.config import Config

    config: Config = read(Config, arguments["config"], "config")
    if arguments["baseline"]:
        with observer.task(f"first {arguments['baseline']}, to compare with"):
            language.train(baseline(config), arguments["baseline"], observer)
    return Result(with_curves(language.train(config, arguments["run"], observer)))


@gives("benches.language.finished:TrainedRun")
def resume(arguments: Mapping[str, Any], observer: Observer) -> Result:
    """Continue a stopped run."""
    from attnlab.benches import language
    from attnlab.benches.language.seeds import with_curves

    return Result(with_curves(language.resume(arguments["run"], observer)))


@gives("benches.heads.over_time:HeadsOverTime", chart=dict[str, Any], title=str, description=str)
def heads_over_time(arguments: Mapping[str, Any], observer: Observer) -> Result:
    """Score the heads of a run at each checkpoint that it kept."""
    from attnlab.benches.heads.over_time import over_time
    from attnlab.report.page.pages import figure

    found = over_time(arguments["run"], observer=observer)
    drawing = presentation(found).draw()
    chart = figure(drawing.chart.to_dict(), drawing.description, drawing.title).spec
    return Result(found, {"chart": chart, "title": drawing.title, "description": drawing.description})


@gives("benches.heads.scores:HeadScores")
def head_scores(arguments: Mapping[str, Any], observer: Observer) -> Result:
    """Score every head of a model."""
    from attnlab.benches.heads.scores import score

    return Result(score(arguments["model"], arguments["text"] or None, observer=observer))


@gives("benches.heads.ablation:Ablation", together={str: "evaluation.scoring.intervals:Estimate"})
def heads_off(arguments: Mapping[str, Any], observer: Observer) -> Result:
    """Switch off heads of a model: each alone, and one after the other."""
    from attnlab.benches.heads.ablation import ablate
    from attnlab.evaluation.heads.settings import AblationSettings

    how = AblationSettings(heads=tuple(arguments["heads"]))
    found = ablate(arguments["model"], arguments["text"] or None, settings=how, observer=observer)
    return Result(found, {"together": {each.by: asdict(each.all_off) for each in found.curves}})


@gives("benches.heads.theory:Theory", says=str)
def head_theory(arguments: Mapping[str, Any], observer: Observer) -> Result:
    """Hold the theory of attention against a head."""
    from attnlab.benches.heads.theory import theory
    from attnlab.report.heads.theory.spread import spread_sentence

    found = theory(arguments["model"], arguments["text"] or None, arguments["head"], observer=observer)
    return Result(found, {"says": spread_sentence(found.heads[0])})


@gives("benches.knowledge.lessons:Finetuned")
def knowledge_make(arguments: Mapping[str, Any], observer: Observer) -> Result:
    """Pretrain a small model on a generated world, and finetune it to answer questions."""
    from attnlab.benches import knowledge

    read = knowledge.pretrain(knowledge.pretraining(), observer=observer)
    return Result(knowledge.finetune(knowledge.finetuning(read.path), observer=observer))


@gives("benches.knowledge.thresholds:Thresholds", thresholds=["studio.thresholds:shown_threshold"])
def knowledge_evaluate(arguments: Mapping[str, Any], observer: Observer) -> Result:
    """Measure what a knowledge model answers at several thresholds."""
    from attnlab.benches import knowledge
    from attnlab.studio.thresholds import shown_threshold

    found = knowledge.thresholds(str(arguments["run"]), observer)
    return Result(found, {"thresholds": [shown_threshold(found, each) for each in found.rows]})


@gives("benches.attention.weigh:Weighed", queries=list[list[float]], scale=float)
def best_queries(arguments: Mapping[str, Any], observer: Observer) -> Result:
    """Search for the best queries of given keys, or for the best scale of given queries."""
    from attnlab.benches.attention.weigh import best
    from attnlab.studio.scenes import asked_of, given

    state, scale_only = given(asked_of(arguments)), bool(arguments["scale_only"])
    settings = state.scene.settings
    found = best(state.keys, state.queries, state.mix, settings, scale_only=scale_only, observer=observer)
    return Result(found, {"queries": found.scene.queries.tolist(), "scale": found.settings.scale})


@gives("benches.attention.remedies:Remedies")
def remedies(arguments: Mapping[str, Any], observer: Observer) -> Result:
    """Measure what helps against noise."""
    from attnlab.benches.attention.remedies import remedies
    from attnlab.benches.attention.settings import RemediesSettings
    from attnlab.settings import read

    return Result(remedies(read(RemediesSettings, arguments), observer))


WORK: dict[str, Callable[[Mapping[str, Any], Observer], Result]] = {
    "claims": claims,
    "best-queries": best_queries,
    "remedies": remedies,
    "heads-over-time": heads_over_time,
    "resume": resume,
    "train": train,
    "answer": answer,
    "grade": grade,
    "head-scores": head_scores,
    "heads-off": heads_off,
    "head-theory": head_theory,
    "classify-train": classify_train,
    "classify-errors": classify_errors,
    "knowledge-make": knowledge_make,
    "knowledge-evaluate": knowledge_evaluate,
}


class FileObserver(Observer):
    """Writes the progress into a file. A task inside another one is told instead of it."""

    def __init__(self, path: Path):
        self.path, self.last, self.said = path, 0.0, ""

    @contextmanager
    def task(self, what: str, total: float | None = None) -> Iterator[WatchedTask]:
        """A task whose progress is written."""
        task = CountedTask(what, total, self.write)
        self.write(task)
        yield task

    def say(self, text: str) -> None:
        """Keep the last text, such as a sample."""
        self.said = text

    def warn(self, text: str) -> None:
        """Keep a warning in the log of the job."""
        print(text, file=sys.stderr, flush=True)

    def write(self, task: CountedTask) -> None:
        """Write the progress, a few times per second at most."""
        if time.monotonic() - self.last < REFRESH:
            return
        self.last = time.monotonic()
        told = {"what": task.what, "done": task.done, "total": task.total, "said": self.said}
        write_whole(self.path, json.dumps(told).encode())


def save(result: Result, folder: Path) -> None:
    """Write the result of a job, and then the files to download, which take seconds to draw."""
    told = {**shown_record(result.record), **result.beside}
    write_whole(folder / "result.json", json.dumps(told, allow_nan=False).encode())
    for ending in reversed(told["downloads"]):  # the page comes last: it carries the library of charts
        result.record.save(folder / f"result{ending}")


def main(folder: Path) -> int:
    """Do the work of a job, and write its result or the user's error. A bug leaves its traceback in log.txt."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background would ignore Ctrl-C
    try:
        remove(folder / "error.json")
        asked = Job(folder).asked()
        save(WORK[asked.work](asked.arguments, FileObserver(folder / "progress.json")), folder)
    except AttnlabError as error:
        print(error, file=sys.stderr)  # into log.txt: a full disk may have no room for another file
        with suppress(AttnlabError):
            write_whole(folder / "error.json", json.dumps({"error": str(error)}).encode())
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
