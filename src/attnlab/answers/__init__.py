"""Checks answers to questions about attention: reads a formula as people write it, and tests it on a problem.

text ──parse──▶ Answer ──pose──▶ Question ──rule──▶ counterexample, repair ──▶ Verdict

parsing/     text to trees: the words around formulas, names and indices however they are written, shapes
values/      what a formula is worth: in floating point, exactly, and as a variable grows; the most work it may take
questions/   problems, which are TOML files; numbers for their symbols; the question that an answer poses
ruling/      whether an answer holds as constants grow, and for which draws; a counterexample, a correction
checking     the verdict on an answer
samples      the sample answers of a problem
grading/     the answers of a class
"""

from attnlab.answers.checking import Verdict, check
from attnlab.answers.grading.grading import Grade, Grades, grade, graded_path
from attnlab.answers.parsing.formulas import FormulaError
from attnlab.answers.questions.listing import Problems, list_problems
from attnlab.answers.questions.loading import find_problem, load_problem, problems, read_problem
from attnlab.answers.questions.problem import Problem
from attnlab.answers.samples import CheckedSample, CheckedSamples, check_samples

__all__ = [
    "CheckedSample",
    "CheckedSamples",
    "FormulaError",
    "Grade",
    "Grades",
    "Problem",
    "Problems",
    "Verdict",
    "check",
    "check_samples",
    "find_problem",
    "grade",
    "graded_path",
    "list_problems",
    "load_problem",
    "problems",
    "read_problem",
]
