"""The matrix that recovers v_a from v_a + v_b, or the shared direction that makes this impossible."""

from typing import Any, ClassVar

from attnlab.arguments import checked
from attnlab.attention import Extraction, Impossible, SharedDirection, extractor
from attnlab.benches.attention.matrices import MatrixLike, matrix_input, read_matrix
from attnlab.calls import Call
from attnlab.records import Called, record


@record
class Extracted(Called):
    """The projector M with M(v_a + v_b) = v_a; or a direction that both spans share, so that there is no projector."""

    shown_by: ClassVar[str] = "attention.noise_and_designs.extracted"

    found: Extraction | Impossible[SharedDirection]

    @property
    def holds(self) -> bool:
        """Whether there is such a matrix."""
        return isinstance(self.found, Extraction)

    def to_dict(self) -> dict[str, Any]:
        """The projector and its condition number; or the reason and the shared direction."""
        found = self.found
        if isinstance(found, Extraction):
            return {
                "possible": True,
                "kind": found.kind,
                "condition": found.condition,
                "angle": found.angle,
                "projector": found.projector.tolist(),
            }
        proof = found.certificate
        direction = {"vector": proof.vector.tolist(), "in_a": proof.in_a.tolist(), "in_b": proof.in_b.tolist()}
        return {"possible": False, "reason": found.reason, "certificate": direction}


@checked
def extract(a: MatrixLike, b: MatrixLike) -> Extracted:
    """The matrix M with M(v_a + v_b) = v_a for all v_a in the span of the columns of a, and v_b in that of b.

    >>> extract([[1], [0]], [[1], [1]]).holds
    True
    """
    vectors = {"a": read_matrix("a", a), "b": read_matrix("b", b)}
    found = extractor(vectors["a"], vectors["b"])  # checks them, before the call writes them as rows
    call = Call("extract", options={"a": matrix_input("a", a, vectors["a"]), "b": matrix_input("b", b, vectors["b"])})
    return Extracted(found, made_by=call)
