"""attnlab claims: the ledger of claims, and the evidence for one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tyro.conf import Positional, arg

from attnlab.cli.averaging import check_seed
from attnlab.cli.outcome import Outcome
from attnlab.errors import ArgumentError


@dataclass(frozen=True)
class Claims:
    """Statements about attention and models, each run: does it hold?

    Without an ID it runs every claim and prints the verdicts. With one or more, it runs these and shows the evidence:
    the question, the statement, the verdict and why, and the numbers with their uncertainty. A claim that fails is a
    finding like any other, so the exit code is 0.

    Example: attnlab claims perplexity-mixed
    """

    ids: Positional[Annotated[tuple[str, ...], arg(metavar="[ID ...]", help_behavior_hint="")]] = ()
    """The claims to show, by id, or a family for all of its claims."""
    family: Annotated[str, arg(metavar="NAME", help_behavior_hint="")] = ""
    """Print the verdicts of this family only."""
    by: Annotated[str, arg(metavar="WHO", help_behavior_hint="")] = ""
    """Print the verdicts of what one write-up says, A to E, or lab for the lab's own."""
    seed: int = 0
    """The seed of the experiments."""
    json: bool = False
    """Print one JSON value, the findings, instead of text."""

    def run(self) -> Outcome:
        """The verdicts, or the evidence for those that were asked for by name."""
        check_seed(self.seed)
        for option in ("family", "by"):
            if self.ids and getattr(self, option):
                raise ArgumentError(option, "expected none beside an ID, which says it all")
        from attnlab.claims.ledger import choose, choose_family, said_by
        from attnlab.cli.ledger import evidence, run_with_bar, verdict_table

        claims = choose_family(self.family) if self.family else choose(self.ids, argument="ID")
        if self.by:
            claims = said_by(self.by, claims)
        narrowed = bool(self.ids or self.family or self.by)
        found = run_with_bar(claims, self.seed, [claim.id for claim in claims] if narrowed else ())
        if not self.ids:
            return Outcome(found, verdict_table(found["findings"]))
        shown = [part for finding in found["findings"] for part in (*evidence(finding), "")]
        return Outcome(found, shown[:-1])
