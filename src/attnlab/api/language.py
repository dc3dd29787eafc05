"""Language models: `train`, `resume`, `open`, `runs`, `recipes`, `compare`, `export`; data: `datasets`,
`download`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Unpack

from attnlab.api.options import LanguageOptions
from attnlab.arguments import checked
from attnlab.benches import data, knowledge, language, sentiment
from attnlab.benches import recipes as recipes_bench
from attnlab.benches.data import DataFiles, DataSets
from attnlab.benches.export import export
from attnlab.benches.knowledge import Finetuned, Pretrained, Sweep
from attnlab.benches.language import LanguageModel, RunTable, SeedRuns, TrainedRun, compare
from attnlab.benches.language.configuring import configure
from attnlab.benches.language.plans import TrainingPlan, plan
from attnlab.benches.language.seeds import with_curves
from attnlab.benches.recipes import FoundRecipes, RecipeList
from attnlab.benches.sentiment import TrainedClassifiers
from attnlab.models.devices import find_device
from attnlab.models.kinds import ModelConfig
from attnlab.observers import watching
from attnlab.parallel import Workers
from attnlab.runs.folder import task_of
from attnlab.settings import Device
from attnlab.text.settings import TokenSettings
from attnlab.training.threads import using_threads

__all__ = ["compare", "datasets", "download", "export", "open", "recipes", "resume", "runs", "train"]


@checked
def train(
    text: str | Path = "",
    *,
    recipe: str = "",
    model: str | Mapping[str, Any] | ModelConfig = "",
    tokens: str | Mapping[str, Any] | TokenSettings = "",
    training: str = "",
    vectors: str | Path = "",
    seeds: int = 1,
    threads: int | None = None,
    out: str | Path | None = None,
    jobs: int = 0,
    cluster: str = "",
    dry_run: bool = False,
    **options: Unpack[LanguageOptions],
) -> TrainedRun | SeedRuns | TrainingPlan:
    """Train a language model on a text, as `attnlab train` does.

    `text` is a file, a folder or a name (`al.datasets()` lists them). A model is given by its kind ("ngram", "bigram",
    "recurrent", "transformer"), or by its settings: `{"kind": "transformer", "layers": 2}`. Tokens are given in the
    same way. `training` is "counts" or "batches" for a bigram model. `vectors` are the word vectors that a bigram or
    recurrent model starts with: "glove", or a file in its format. The other options are those of training that this
    kind of model uses: `minutes=1`, `steps=300`, `seed=1`. The folder of the run is `out`, or a new folder under runs/.
    With `seeds=3`, three runs are trained, with consecutive seeds, in up to `jobs` processes (0: one for each core), or
    on a Dask `cluster`, "tcp://HOST:8786". `threads` is the number of CPU threads. An interrupt
    saves the run, and `al.resume(folder)` continues it. With `dry_run=True` nothing is trained: the result has every
    setting, and an estimate of the time on this machine.
    """
    config = configure(str(text), recipe, model, tokens, {**options, "kind": training}, str(vectors))
    with using_threads(threads):
        if dry_run:
            return plan(config, seeds)
        if seeds == 1:
            return with_curves(language.train(config, out, watching()))
        return with_curves(language.train_seeds(config, seeds, out, watching(), Workers(jobs, cluster)))


@checked
def resume(
    run: str | Path, *, threads: int | None = None, jobs: int = 0, cluster: str = ""
) -> TrainedRun | SeedRuns | TrainedClassifiers | Pretrained | Finetuned | Sweep:
    """Continue a stopped run of any kind to its end, or several runs. A finished run is returned as it is."""
    task, workers = task_of(Path(run)), Workers(jobs, cluster)
    with using_threads(threads):
        if task == "classify":
            return sentiment.resume(run, watching(), threads, workers)
        if task == "knowledge":
            return knowledge.resume_any(run, watching(), workers)
        return with_curves(language.resume_any(run, watching(), workers))


@checked
def open(model: str | Path, *, device: Device = "cpu") -> LanguageModel:
    """Open a trained model, which can `sample` and `score`: the folder of a run, an ARPA file of another n-gram tool,
    "MODEL.arpa", or a model of Hugging Face, "hf:FOLDER" or "hf:NAME"."""
    return language.open_model(str(model), find_device(device))


@checked
def runs(folder: str | Path = "runs") -> RunTable:
    """The runs in a folder, best first."""
    return language.runs(folder, watching())


@checked
def recipes(name: str = "") -> RecipeList | FoundRecipes:
    """The recipes for language models, classifiers and models that learn facts; with a name, every setting of each
    recipe of this name, and an estimate of the time of a language model here."""
    return recipes_bench.recipes(name)


@checked
def datasets() -> DataSets:
    """The data sets, with their sizes, terms of use, and places."""
    return data.data_sets()


@checked
def download(name: str = "") -> DataFiles:
    """Download a data set, unless it is already here, and check its hash. Without a name, the folder for downloads."""
    return data.get_data(name, watching()) if name else data.data_files()
