"""Checks answers to questions about attention: reads a formula as people write it, and tests it on a problem.

text ──parse──▶ Answer ──pose──▶ Question ──rule──▶ counterexample, repair ──▶ Verdict

formulas, prose, trees               text to trees: the words around formulas, and the grammar
names, indices, complaints           names and indices however they are written; errors with the place
nodes, writing, plain                trees, and trees and values as text
shapes, evaluation                   the shape of a tree, by the names of its sizes, and its value in numbers
problem, loading, soundness          problems, which are TOML files
instances, trials                    numbers for a problem's symbols, and an answer computed with them
ruling, limits, growth, exact        whether an answer holds as constants grow, and for which draws
conditions, sizes                    answers that are conditions, and the sizes to test beside the usual ones
counterexamples, repairs, checking   the verdict on an answer, with an example and a correction
effort, patience                     the most work and the most time of one answer
submissions, grading                 the answers of a class
listing, samples                     the problems, and their sample answers
"""

from attnlab.answers.checking import Verdict, check
from attnlab.answers.formulas import FormulaError
from attnlab.answers.grading import Grade, Grades, grade, graded_path
from attnlab.answers.listing import Problems, list_problems
from attnlab.answers.loading import find_problem, load_problem, problems, read_problem
from attnlab.answers.problem import Problem
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
