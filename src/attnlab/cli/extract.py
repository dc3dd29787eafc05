"""attnlab extract: the matrix that takes v_a back out of v_a + v_b."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from attnlab.cli.outcome import Outcome


@dataclass(frozen=True)
class Extract:
    """The matrix M with M(v_a + v_b) = v_a for v_a and v_b in two known spans; or the direction they share.

    Each file (.npy, .csv or .safetensors) holds vectors that span, as columns. Exit code 1 says that no matrix does it.

    Example: attnlab extract --a a.csv --b b.csv
    """

    a: Path
    """The vectors whose span holds v_a, a column each."""
    b: Path
    """The vectors whose span holds v_b, a column each."""
    json: bool = False
    """Print one JSON value instead of text."""

    def run(self) -> Outcome:
        """The projector, or the shared direction."""
        from attnlab.attention import Impossible, extractor
        from attnlab.data.matrices import load_matrix

        found = extractor(load_matrix(self.a), load_matrix(self.b))
        if isinstance(found, Impossible):
            proof = found.certificate
            direction = {"vector": proof.vector.tolist(), "in_a": proof.in_a.tolist(), "in_b": proof.in_b.tolist()}
            shared = ", ".join(f"{x:.6g}" for x in direction["vector"])
            words = [f"no matrix does this: {found.reason}", f"x = ({shared})"]
            return Outcome({"possible": False, "reason": found.reason, "certificate": direction}, words, holds=False)
        value = {
            "possible": True,
            "kind": found.kind,
            "condition": found.condition,
            "angle": found.angle,
            "projector": found.projector.tolist(),
        }
        rows = ["  ".join(f"{round(x, 5) + 0.0:9.5f}" for x in row) for row in value["projector"]]  # + 0.0: no −0
        cost = f"an error in the sum grows at most {found.condition:.6g} times"
        return Outcome(value, [f"{found.kind} projector; {cost}", *rows])
