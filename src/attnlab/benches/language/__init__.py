"""Language models: train and resume runs, open a model to sample or score a text, and compare runs."""

from attnlab.benches.language.finished import TrainedRun
from attnlab.benches.language.models import LanguageModel, TextScore, TokenCost, Written, open_model
from attnlab.benches.language.runs_table import RunRow, RunTable, compare, runs
from attnlab.benches.language.seeds import SeedRuns, resume_any, train_seeds
from attnlab.benches.language.training import resume, train

__all__ = [
    "LanguageModel",
    "RunRow",
    "RunTable",
    "SeedRuns",
    "TextScore",
    "TokenCost",
    "TrainedRun",
    "Written",
    "compare",
    "open_model",
    "resume",
    "resume_any",
    "runs",
    "train",
    "train_seeds",
]
