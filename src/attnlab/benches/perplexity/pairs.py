"""Every model on every text: one after the other, in several processes, or together under torchrun."""

from collections.abc import Sequence

from attnlab.benches.language import LanguageModel
from attnlab.benches.perplexity.measuring import MeasuredText, measure_model
from attnlab.benches.perplexity.models import AnyModel, open_subject
from attnlab.benches.perplexity.texts import OpenedText
from attnlab.errors import ArgumentError
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.evaluation.settings import MeasureSettings
from attnlab.parallel import ONE_CORE, Task, Workers, spread
from attnlab.progress import Observer
from attnlab.training.processes import Process
from attnlab.training.threads import threads_of, using_threads

READ = 7e5
"""The bytes of text per second that are cut into tokens and counted, as measured with n-gram models."""
AUDITED = {"network": 2.0, "n-gram": 0.5}
"""The seconds of the rest of an audit, by order of magnitude."""
PASSES = 6.0
"""The operations for each parameter and token: two in disjoint windows, and twice as many in strided ones."""


def measure_all(
    models: Sequence[AnyModel],
    subjects: Sequence[Subject],
    texts: Sequence[OpenedText],
    settings: MeasureSettings,
    observer: Observer,
    workers: Workers,
    process: Process,
) -> tuple[MeasuredText, ...]:
    """Measure every model on every text. `subjects` are the opened models. Of several pairs, each small model is
    measured on one thread, whatever the number of processes."""
    pairs = [(place, text) for text in texts for place in range(len(models))]
    if process.ranks > 1:
        if workers.jobs > 1 or workers.cluster:
            told = "expected no --jobs and no --cluster under torchrun: its processes share each text"
            raise ArgumentError("jobs", told)
        return tuple(measure_model(subjects[place], text, settings, observer, process) for place, text in pairs)
    if len(pairs) == 1 and not workers.cluster:
        return (measure_model(subjects[0], texts[0], settings, observer),)
    threads = [threads_of(parameters_of(each), each.predictor.device.type) for each in subjects]
    tasks = [
        Task(
            f"{subjects[place].name} on {text.name}",
            (models[place], text, settings, threads[place]),
            expected_seconds(parameters_of(subjects[place]), text.slice.size),
            threads[place],
        )
        for place, text in pairs
    ]
    with observer.task("models and texts", len(pairs)) as bar:
        found: dict[int, MeasuredText] = {}
        if workers.processes(tasks) == 1 or not named_models(models, workers):
            for number, (place, text) in enumerate(pairs):
                with using_threads(threads[place]):
                    found[number] = measure_model(subjects[place], text, settings, observer)
                bar.advance()
        else:
            for number, each in spread(measure_named, tasks, workers, observer, files=True):
                found[number] = each
                bar.advance()
    return tuple(found[number] for number in range(len(pairs)))


def expected_seconds(parameters: int, size: int) -> float:
    """About how long one core measures and audits a model on a text of `size` bytes. An n-gram model has no parameters.

    >>> [round(expected_seconds(parameters, size=1_200_000), 1) for parameters in (0, 100_000)]
    [2.2, 39.7]
    """
    computed = PASSES * parameters * size / ONE_CORE
    return computed + size / READ + AUDITED["network" if parameters else "n-gram"]


def measure_named(
    model: AnyModel, text: OpenedText, settings: MeasureSettings, threads: int | None, observer: Observer
) -> MeasuredText:
    """Measure a model, given by its name, on a text, in this process or in another one."""
    with using_threads(threads):
        return measure_model(open_subject(model, settings.device), text, settings, observer)


def named_models(models: Sequence[object], workers: Workers) -> bool:
    """Whether other processes can open the models. Opened models stay in this process."""
    named = not any(isinstance(each, LanguageModel) for each in models)
    if workers.cluster and not named:
        raise ArgumentError("cluster", "expected models by name: other machines cannot see models opened here")
    return named


def parameters_of(subject: Subject) -> int:
    """The parameters of a model; 0 if it has no network."""
    module = subject.predictor.module
    return sum(each.numel() for each in module.parameters()) if module is not None else 0
