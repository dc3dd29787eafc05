"""Answers to questions about attention, checked: formulas as people write them, held against what is wanted.

text ──parse──▶ Answer ──pose──▶ Question ──rule──▶ counterexample, repair ──▶ Verdict

formulas, names, nodes, complaints   the grammar's side: text to trees, and back
shapes, evaluation  what a tree is worth: its shape by name, its value in numbers
problem, loading, soundness          what is asked, from a TOML file
instances, trials   numbers for a problem's symbols, and an answer worked out on them
verdicts            whether it holds, in the limit of large constants and for which draws
counterexamples, repairs, checking, grading
"""

from attnlab.answers.checking import Verdict, check
from attnlab.answers.formulas import FormulaError
from attnlab.answers.grading import Grade, Grades, grade
from attnlab.answers.loading import find_problem, load_problem, problems
from attnlab.answers.problem import Problem

__all__ = [
    "FormulaError",
    "Grade",
    "Grades",
    "Problem",
    "Verdict",
    "check",
    "find_problem",
    "grade",
    "load_problem",
    "problems",
]
