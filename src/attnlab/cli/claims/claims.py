"""attnlab claims: the verdict on every claim, or the evidence for some."""

from typing import Annotated

from tyro.conf import Positional

from attnlab.cli.command import Spreading, command, shown
from attnlab.observers import TerminalObserver
from attnlab.records import Record


@command
class Claims(Spreading):
    """Test claims, statements about attention and models, by experiments.

    Without an ID, every claim runs and the verdicts are printed. With IDs, these claims run and the evidence is shown:
    the question, the statement, the verdict with its reason, and the numbers with their uncertainty. The exit code is
    0 even if a claim fails: that is a finding, too.

    Example: attnlab claims perplexity-mixed
    """

    ids: Positional[Annotated[tuple[str, ...], shown("[ID ...]")]] = ()
    """The ids of the claims to show, or a family to show all of its claims."""
    family: Annotated[str, shown("NAME")] = ""
    """Print only the verdicts of this family."""
    by: Annotated[str, shown("WHO")] = ""
    """Print only the verdicts on the claims of one write-up: A to E, or lab for the lab's own claims."""
    list: bool = False
    """List the claims without running them."""
    seed: int = 0
    """The seed of the experiments."""
    json: bool = False
    """Print one JSON value, the findings, instead of text."""

    def run(self) -> Record:
        """Run the claims, or list them."""
        from attnlab.claims import list_claims, run_claims

        asked = {"family": self.family, "by": self.by}
        if self.list:
            return list_claims(*self.ids, **asked)
        return run_claims(*self.ids, **asked, seed=self.seed, workers=self.workers(), observer=TerminalObserver())
