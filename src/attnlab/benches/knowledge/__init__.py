"""Knowledge: put facts into a model by pretraining, get them out by finetuning, measure what it knows, and sweeps."""

from attnlab.benches.knowledge.configuring import finetuning, pretraining
from attnlab.benches.knowledge.courses import Course
from attnlab.benches.knowledge.evaluating import EvaluatedKnowledge, evaluate
from attnlab.benches.knowledge.lessons import Finetuned, Pretrained, finetune, pretrain, resume
from attnlab.benches.knowledge.models import KnownModel, Replies, ask, open_known
from attnlab.benches.knowledge.people import KnownPeople, KnownPerson, QuestionReply
from attnlab.benches.knowledge.sweeps.settings import SweepSettings, sweeping
from attnlab.benches.knowledge.sweeps.table import Sweep, SweepModel, SweepRow
from attnlab.benches.knowledge.sweeps.training import resume_any, resume_sweep, sweep
from attnlab.benches.knowledge.thresholds import Thresholds, thresholds
from attnlab.evaluation.settings import EvaluationSettings

__all__ = [
    "Course",
    "EvaluatedKnowledge",
    "EvaluationSettings",
    "Finetuned",
    "KnownModel",
    "KnownPeople",
    "KnownPerson",
    "Pretrained",
    "QuestionReply",
    "Replies",
    "Sweep",
    "SweepModel",
    "SweepRow",
    "SweepSettings",
    "Thresholds",
    "ask",
    "evaluate",
    "finetune",
    "finetuning",
    "open_known",
    "pretrain",
    "pretraining",
    "resume",
    "resume_any",
    "resume_sweep",
    "sweep",
    "sweeping",
    "thresholds",
]
