"""attnlab claims: the verdict on every claim, or the evidence for some."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional, arg

from attnlab.observers import TerminalObserver

if TYPE_CHECKING:
    from attnlab.claims import Findings


@dataclass(frozen=True)
class Claims:
    """Test claims, statements about attention and models, by experiments.

    Without an ID, every claim runs and the verdicts are printed. With IDs, these claims run and the evidence is shown:
    the question, the statement, the verdict with its reason, and the numbers with their uncertainty. The exit code is
    0 even if a claim fails: that is a finding, too.

    Example: attnlab claims perplexity-mixed
    """

    ids: Positional[Annotated[tuple[str, ...], arg(metavar="[ID ...]", help_behavior_hint="")]] = ()
    """The ids of the claims to show, or a family to show all of its claims."""
    family: Annotated[str, arg(metavar="NAME", help_behavior_hint="")] = ""
    """Print only the verdicts of this family."""
    by: Annotated[str, arg(metavar="WHO", help_behavior_hint="")] = ""
    """Print only the verdicts on the claims of one write-up: A to E, or lab for the lab's own claims."""
    seed: int = 0
    """The seed of the experiments."""
    json: bool = False
    """Print one JSON value, the findings, instead of text."""

    def run(self) -> Findings:
        """Run the claims."""
        from attnlab.claims import run_claims

        return run_claims(*self.ids, family=self.family, by=self.by, seed=self.seed, observer=TerminalObserver())
