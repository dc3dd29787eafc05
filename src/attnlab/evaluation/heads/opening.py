"""The heads of a model that was opened by name."""

from attnlab.errors import ArgumentError
from attnlab.evaluation.external.names import HUGGING_FACE
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.models.inside import Inside, TransformerInside
from attnlab.models.recurrent import Recurrent
from attnlab.models.transformer import Transformer


def open_heads(subject: Subject) -> Inside:
    """What the heads bench sees of a model: the lab's Transformer, or one of `transformers`. Raises for models without
    attention."""
    module = subject.predictor.module
    if isinstance(module, Transformer):
        return TransformerInside(module)
    if subject.name.startswith(HUGGING_FACE):
        from attnlab.evaluation.external.inside import HuggingFaceInside

        return HuggingFaceInside(subject.name.removeprefix(HUGGING_FACE), module, subject.predictor.context)
    kind = "a recurrent model" if isinstance(module, Recurrent) else "a bigram" if module else "an n-gram model"
    raise ArgumentError("model", f"{subject.name} is {kind}, which has no attention; expected a Transformer")
