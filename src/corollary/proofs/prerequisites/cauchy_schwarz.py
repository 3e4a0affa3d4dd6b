r"""A parabola that is never negative has no positive discriminant.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.2, second proof of Proposition 1.
"""

from torch import Tensor

from corollary.claims.prerequisites.cauchy_schwarz import Given
from corollary.core import Proof, eq, ge, le, let


def proof(given: Given) -> Proof:
    x, y, M = given

    def product(a: Tensor, b: Tensor) -> Tensor:
        return ((a @ M) * b).sum(1)

    A, B, C = product(y, y), product(x, y), product(x, x)
    z = (B / A)[:, None]
    yield "The square of x − zy is a parabola in z, lowest at z = ⟨x, y⟩ / ‖y‖²."
    yield let(r"C - B^2/A", C - B**2 / A)
    yield eq(r"\|x - zy\|^2", product(x - z * y, x - z * y), "expanded, with the lowest z")
    yield ge("0", 0.0, "the form is positive semi-definite")
    yield "Times A = ‖y‖²:"
    yield let(r"\langle x, y\rangle^2", B**2)
    yield le(r"\|x\|^2\|y\|^2", A * C, "B² ≤ AC")


def as_printed(given: Given) -> Proof:
    """Line (1.7) of the notes has B² = (Σxy)², four times too small for B = 2Σxy."""
    x, y, M = given
    inner = ((x @ M) * y).sum(1)
    B = 2 * inner
    yield let("B^2", B**2)
    yield eq(r"\langle x, y\rangle^2", inner**2, "B = 2Σxy", wrong=True)
