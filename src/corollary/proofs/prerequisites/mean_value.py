r"""Along the segment f is a function of one variable.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.3.3, proof of Theorem 4.
"""

from corollary.claims.prerequisites.mean_value import Given
from corollary.core import Proof, eq, let
from corollary.theory.prerequisites.increments import line_integral_increment, mvt_point
from corollary.theory.prerequisites.jacobians import jacobian


def proof(given: Given) -> Proof:
    f, x, y = given

    def scalar(z: object) -> object:
        (value,) = f(z)  # type: ignore[arg-type]  # a vector has no mean value point
        return value

    yield let("f(x+y) - f(x)", f(x + y) - f(x))
    whole = line_integral_increment(scalar, x, y, nodes=64)  # type: ignore[arg-type]
    by = "the fundamental theorem for g(t) = f(x + ty), whose slope is ∇f(x + ty)ᵀy"
    yield eq(r"\int_0^1\nabla f(x+ty)^\top y\,dt", whole, by)
    c = mvt_point(scalar, x, y).c  # type: ignore[arg-type]
    by = "a continuous function takes its mean value"
    yield eq(r"\nabla f(x+cy)^\top y", jacobian(f, x + c * y) @ y, by)
