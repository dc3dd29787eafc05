"""How often is an answer checker right? The lab's checker beside math-verify and SymPy, on the same answers in one run.

    .venv/bin/python benchmarks/answers/answers.py

The answers are in `cases.py` (made from their meaning), and in `texts.py` and `gradients.py`
(written by hand). SymPy decides from the meaning alone, by exact limits, exact matrices and differentiation, which of
them are right: it knows nothing of the text or of the lab's checker. That gets the problem. The other two compare with
a reference answer in the same letters: math-verify (`pip install math-verify` adds its rows) and SymPy, which reads the
formula and simplifies the difference.

An answer is *accepted*, *refused*, or *unread* if the checker cannot read it. Intervals are exact (Clopper and Pearson,
95 %).
"""

import argparse
import contextlib
import importlib
import importlib.util
import platform
import random
import re
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import sympy as sp
from scipy.stats import binomtest
from sympy.parsing.latex import parse_latex
from sympy.parsing.sympy_parser import (
    convert_xor,
    implicit_multiplication_application,
    parse_expr,
    standard_transformations,
)

from attnlab.answers import FormulaError, check
from attnlab.numbers import percent, percents
from cases import KINDS, Case, family_cases, query_cases
from gradients import gradient_cases
from meanings import Expr
from regimes import two_constant_cases
from texts import written_cases

SECONDS = 5
"""The longest that math-verify and SymPy may take for one answer."""
CONDITION = re.compile(
    r"[\s,;(]*(?:\\quad|\\text\{[^{}]*\}|\bwhere\b|\bfor\b|\bas\b|\bwith\b)?\s*"
    r"(?:\\?\w+\s*(?:≫|>>|→|->|\\gg|\\to)[^=]*|large\s+\\?\w+|\\?\w+\s+is\s+large)$"
)
"""A condition on a constant, at the end of an answer."""
Checker = Callable[[Case], bool | None]
"""Whether an answer is accepted; None if it cannot be read."""


def lab(case: Case) -> bool | None:
    """The lab's checker. "holds if …" counts as accepted, unless the answer does not state the condition it needs."""
    try:
        found = check(case.problem, case.text)
        return found.verdict == "holds" if case.conditional else found.holds
    except FormulaError:
        return None


def math_verify(case: Case) -> bool | None:
    """math-verify, given the right sides of the reference answer."""
    peer = importlib.import_module("math_verify")  # the user's own install
    told, gold = (
        {left: peer.parse(f"${right}$", parsing_timeout=SECONDS) for left, right in right_sides(text).items()}
        for text in (case.text, case.reference)
    )
    if not all(told.values()):
        return None
    return told.keys() == gold.keys() and all(
        peer.verify(gold[left], told[left], timeout_seconds=SECONDS) for left in gold
    )


def sympy(case: Case) -> bool | None:
    """SymPy: the difference of the right sides, simplified."""
    try:
        with within(SECONDS):
            told, gold = (
                {left: _read(right) for left, right in right_sides(text).items()}
                for text in (case.text, case.reference)
            )
    except Exception:  # whatever its parsers raise
        return None
    try:
        with within(SECONDS):
            return told.keys() == gold.keys() and all(sp.simplify(told[left] - gold[left]) == 0 for left in gold)
    except Exception:  # it gives up, or takes too long
        return False


def right_sides(text: str) -> dict[str, str]:
    """The right side of each equation, by its left side, without conditions and LaTeX around it, to help the peers."""
    text = re.sub(r"\\(?:begin|end)\{cases\}|\\[\[\]]|\$", "", text.replace(r"\\", ","))
    text = CONDITION.sub("", text)
    text = re.sub(r"\\(?:mathbf|boldsymbol|vec|displaystyle|left|right|,)\s*", " ", text)
    text = re.sub(r"\{\s*(\\mu|\w)\s*\}(?=_)", r"\1", text)
    parts = [part.replace(r"\quad", "").strip(" .") for part in re.split(r"[,;](?![^{(]*[})])", text)]
    sides = [part.partition("=") if "=" in part else ("q", "=", part) for part in parts if part]
    return {re.sub(r"[\W_]|mathbf", "", left): right.strip() for left, _, right in sides}


def _read(text: str) -> Expr:
    """The formula as SymPy reads it, with one name for each symbol: k_{a} is k_a, and \\mu_a is μ_a."""
    if "\\" in text:
        found = parse_latex(text, backend="lark")
    else:
        transformations = (*standard_transformations, implicit_multiplication_application, convert_xor)
        found = parse_expr(text, transformations=transformations)
    found = next((each for each in getattr(found, "children", [found]) if isinstance(each, sp.Mul | sp.Add)), found)
    if not isinstance(found, sp.Expr):
        raise TypeError("no formula")
    names = {each: re.sub(r"[{}\s]|mathbf|boldsymbol|vec|\\", "", each.name) for each in found.atoms(sp.Symbol)}
    plain = {old: sp.Symbol(re.sub("μ", "mu", re.sub("λ", "lambda", new))) for old, new in names.items()}
    return found.xreplace({old: sp.E if new.name == "e" else new for old, new in plain.items()})


@contextlib.contextmanager
def within(seconds: int) -> Iterator[None]:
    """Raise `TimeoutError` after some seconds."""

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def share(count: int, of: int) -> str:
    """A share in per cent with its exact 95 % interval."""
    low, high = binomtest(count, of).proportion_ci(method="exact")
    return f"{count} of {of} = {percent(count / of)} ({percents(low, high)})"


def measure(name: str, checker: Checker, cases: Sequence[Case], show: bool) -> None:
    """Run one checker over all answers and print its row."""
    found: Counter[tuple[bool, bool | None]] = Counter()
    began = time.perf_counter()
    for case in cases:
        try:
            told = checker(case)
        except Exception as error:  # a fault of the checker: it counts as unread, and is shown
            print(f"    {name} crashes ({type(error).__name__}: {error}): {case.problem}: {case.text}")
            told = None
        found[case.right, told] += 1
        if show and told is not case.right and (case.right or told):
            word = {True: "accepted", False: "refused", None: "unread"}[told]
            print(f"    {'right' if case.right else 'wrong'}, but {word}: {case.problem}: {case.text}")
    seconds = (time.perf_counter() - began) / len(cases)
    right, wrong = sum(case.right for case in cases), sum(not case.right for case in cases)
    print(f"{name}, {seconds:.3f} s an answer")
    for words, key in (("accepted", True), ("refused", False), ("unread", None)):
        print(f"  right answers {words}: {share(found[True, key], right)}")
    print(f"  wrong answers accepted: {share(found[False, True], wrong)}", flush=True)


def main() -> None:
    """Make the answers, and run every checker over them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--every", type=int, default=1, help="use only every n-th answer")
    parser.add_argument("--one-constant", action="store_true", help="leave out answers with two large constants")
    parser.add_argument("--lab-only", action="store_true", help="leave out math-verify and SymPy")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    made = (case for kind in KINDS for case in query_cases(kind, rng))
    several = [] if options.one_constant else two_constant_cases(random.Random(options.seed))
    swapped = (case for kind in KINDS for case in family_cases(kind, random.Random(options.seed)))
    cases = [*written_cases(), *gradient_cases(), *made, *swapped, *several][:: options.every]
    right = sum(case.right for case in cases)
    print(
        f"{right} right and {len(cases) - right} wrong answers; {platform.processor() or platform.machine()}, one core"
    )
    measure("attnlab", lab, cases, show=True)
    if options.lab_only:
        return
    if importlib.util.find_spec("math_verify"):
        measure("math-verify", math_verify, cases, show=False)
    else:
        print("math-verify is not installed: pip install math-verify")
    measure("SymPy", sympy, cases, show=False)


if __name__ == "__main__":
    main()
