"""attnlab remedies: what helps against noisy keys, and by how much."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

from attnlab.cli.averaging import AveragingOptions, check_heads, check_scale, check_seed
from attnlab.cli.outcome import Outcome, progress_bar

SMALL = 1e-6


@dataclass(frozen=True)
class Remedies:
    """What helps against noisy keys, and by how much.

    The question is that of `attnlab robustness`: average two of n orthonormal keys though some are noisy. Each row is
    one remedy (the best scale, two heads, normalised keys, a softmax with 1 added below, queries found by minimising
    the exact error) with the error it leaves, and how many times less that is than the usual advice, a large scale.

    Example: attnlab remedies --keys 10 --norm-variance 0.5
    """

    question: AveragingOptions = field(default_factory=AveragingOptions)
    scale: float = 100.0
    """The scale C that counts as large."""
    heads: int = 2
    """Up to how many heads the best queries are sought for."""
    seed: int = 0
    """The seed of the searches, and of draws where they are needed."""
    json: bool = False
    """Print one JSON value instead of a table."""

    def run(self) -> Outcome:
        """The remedies and their errors."""
        check_scale(self.scale)
        check_heads(self.heads)
        check_seed(self.seed)
        from rich.table import Table

        from attnlab.attention import remedies

        with progress_bar() as bar:
            task = bar.add_task("remedies", total=7 + self.heads)
            found = remedies(
                self.question.setting(),
                scale=self.scale,
                heads=self.heads,
                seed=self.seed,
                progress=lambda name: bar.update(task, advance=1, description=name),
            )
        title = f"What helps: {self.question.keys} keys, {self.question.words()}"
        table = Table()
        for heading in ("remedy", "error", "±", "times less", "queries"):
            table.add_column(heading, justify="left" if heading in ("remedy", "queries") else "right")
        for each in found:
            table.add_row(each.name, *_error(each.error, found[0].error, each.error_bound), each.queries)
        words = "error = E‖c − ½(v_a + v_b)‖²; times less than in the first row"
        return Outcome(
            {"keys": self.question.keys, "remedies": [asdict(each) for each in found]}, [title, table, words]
        )


def _error(error: float, first: float, bound: float) -> tuple[str, str, str]:
    """The error, its bound, and how many times less it is than the first; below 1e-6 it is as good as none."""
    small = error < SMALL
    size = f"< {SMALL:.0e}" if small else f"{error:.4f}" if error >= 1e-4 else f"{error:.1e}"
    less = f"> {first / SMALL:.0e}" if small else f"{first / error:.3g}"
    return size, f"{bound:.0e}", less
