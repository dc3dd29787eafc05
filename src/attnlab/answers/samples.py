"""Checks the sample answers of a problem: whether each gets the verdict that the problem's author expects."""

from dataclasses import dataclass
from typing import Any, ClassVar

from attnlab.answers.checking import Verdict, check
from attnlab.answers.questions.loading import find_problem, own_file
from attnlab.answers.questions.problem import Problem, Sample
from attnlab.calls import Call, OptionWord
from attnlab.errors import ArgumentError, AttnlabError, FileError
from attnlab.records import Record, record


@dataclass(frozen=True)
class CheckedSample:
    """A sample answer with the verdict that its author expects, and the verdict that it got."""

    sample: Sample
    found: Verdict

    @property
    def as_expected(self) -> bool:
        """Whether the two verdicts are the same."""
        return self.sample.verdict == self.found.verdict


@record
class CheckedSamples(Record):
    """The sample answers of a problem, each with its verdict."""

    shown_by: ClassVar[str] = "answers.checked_samples"

    problem: str
    file: str
    """The problem's file."""
    samples: tuple[CheckedSample, ...]

    @property
    def holds(self) -> bool:
        """Whether every sample gets the verdict that its author expects."""
        return all(each.as_expected for each in self.samples)

    def to_dict(self) -> dict[str, Any]:
        """The samples with the expected and the found verdicts."""
        samples = [
            {
                "answer": each.sample.answer,
                "expected": each.sample.verdict,
                "verdict": each.found.verdict,
                "reason": each.found.reason,
            }
            for each in self.samples
        ]
        return {"problem": self.problem, "samples": samples}

    @property
    def call(self) -> Call:
        """The call that checks the samples again."""
        return Call("check", (OptionWord("problem", self.file),))


def check_samples(problem: Problem | str) -> CheckedSamples:
    """Check the sample answers of a problem.

    >>> check_samples("copy").holds
    True
    """
    problem = find_problem(problem) if isinstance(problem, str) else problem
    if not problem.samples:
        raise ArgumentError("problem", f"{problem.name} has no sample answers; give a formula to check")
    file = problem.file or str(own_file(problem.name))
    try:
        checked = tuple(CheckedSample(sample, check(problem, sample.answer)) for sample in problem.samples)
    except AttnlabError as error:
        raise FileError(file, f"a sample answer cannot be read: {error}") from error
    return CheckedSamples(problem.name, file, checked)
