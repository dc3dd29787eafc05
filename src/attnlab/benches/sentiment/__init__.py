"""Text classifiers: train and evaluate them, predict classes, and explain predictions and errors."""

from attnlab.benches.sentiment.evaluation import EvaluatedClassifier
from attnlab.benches.sentiment.models import (
    ClassifierModel,
    evaluate,
    explain,
    open_classifier,
    predict,
)
from attnlab.benches.sentiment.predictions import Prediction, Predictions
from attnlab.benches.sentiment.reasons import Explained, ExplainedErrors
from attnlab.benches.sentiment.trained import TrainedClassifiers, TrainedSeed
from attnlab.benches.sentiment.training import configure, resume, train

__all__ = [
    "ClassifierModel",
    "EvaluatedClassifier",
    "Explained",
    "ExplainedErrors",
    "Prediction",
    "Predictions",
    "TrainedClassifiers",
    "TrainedSeed",
    "configure",
    "evaluate",
    "explain",
    "open_classifier",
    "predict",
    "resume",
    "train",
]
