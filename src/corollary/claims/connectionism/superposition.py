r"""Superposition principle.

A map is linear, that is additive and homogeneous, iff

.. math:: f(\alpha x+\beta y)=\alpha f(x)+\beta f(y)\quad\text{for all } x, y, \alpha, \beta .

Neither half is enough: :math:`x_1^3/\|x\|^2` is homogeneous and not additive, complex conjugation
is additive and not homogeneous, and an offset, ReLU or a cube spoil both. The claim predicts, for
seven such maps, who is linear from the two halves, and measures who obeys superposition at random
points. If the weights are tied to :math:`\alpha+\beta=1`, the affine map slips through.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.2.2; Lucchi (2024), Foundations of
    Deep Learning (slides), Lecture 1, Superposition Principle.
:kind: theorem
:covers: superposition-principle
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Complex, Float
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Suppose, Trial, equals, generator, normal
from corollary.core.picture import Level, Marks, Points, Role, picture
from corollary.theory.connectionism.linearity import Linearity, is_linear

NAMES = ("Ax", "Ax + b", "ReLU(Ax)", "|Ax|", "x³", "x₁³/‖x‖²", "conjugate")
ROUNDING = 1e-9  # a violation is of the order of the terms, rounding is 1e-15 of them


class Given(NamedTuple):
    A: Float[Tensor, "n n"]  # matrix of the linear part
    b: Float[Tensor, " n"]  # offset
    x: Complex[Tensor, "k n"]  # points; real maps are asked at the real parts
    y: Complex[Tensor, "k n"]  # points
    alpha: Complex[Tensor, "k 1"]  # weights
    beta: Complex[Tensor, "k 1"]  # weights


def maps(given: Given) -> dict[str, tuple[Callable[[Tensor], Tensor], torch.dtype]]:
    """The maps by name, each with the numbers it is a map of."""
    A, b = given.A.T, given.b
    real = {
        "Ax": lambda x: x @ A,
        "Ax + b": lambda x: x @ A + b,
        "ReLU(Ax)": lambda x: torch.relu(x @ A),
        "|Ax|": lambda x: (x @ A).abs(),
        "x³": lambda x: x**3,
        "x₁³/‖x‖²": lambda x: x[:, :1] ** 3 / x.square().sum(1, keepdim=True).clamp(min=1e-300),
    }
    out = {name: (f, torch.float64) for name, f in real.items()}
    return out | {"conjugate": (torch.conj_physical, torch.complex128)}


def halves(given: Given) -> list[Linearity]:
    """Additivity and homogeneity of each map, tested apart."""
    rng = generator(0, "halves")
    n = given.x.shape[1]
    return [is_linear(f, n, dtype=dtype, rng=rng) for f, dtype in maps(given).values()]


def gaps(given: Given) -> list[float]:
    """Largest violation of superposition by each map, in units of the terms."""
    out = []
    for f, dtype in maps(given).values():
        x, y, a, b = (t if dtype.is_complex else t.real for t in given[2:6])
        left, right = f(a * x + b * y), (a * f(x), b * f(y))
        size = left.abs() + right[0].abs() + right[1].abs()
        out.append(float(((left - sum(right)).abs() / size.clamp(min=1e-300)).max()))
    return out


class Superposition(Claim[Given]):
    n: int = 6  # dimension
    k: int = 64  # pairs of points

    relation = equals()  # yes and no, as 1 and 0
    supposes = (
        Suppose(
            "the weights α and β are chosen freely, not with α + β = 1",
            lambda g: (g.alpha + g.beta - 1).abs().min() - 1e-9,
            "If the weights sum to 1, an affine map passes the test, although it is not linear.",
            beta=lambda g: 1 - g.alpha,
        ),
        Suppose(
            "no weight α is 0 or 1",
            lambda g: (g.alpha * (1 - g.alpha)).abs().min() - 1e-9,
            "Weights 1 and 1 test only additivity, and complex conjugation passes this test.",
            alpha=lambda g: torch.ones_like(g.alpha),
            beta=lambda g: torch.ones_like(g.beta),
        ),
    )
    symbols = "additive and homogeneous", "obeys superposition"
    rows = NAMES

    def given(self, rng: Generator) -> Given:
        def drawn(*shape: int) -> Tensor:
            return torch.complex(normal(rng, *shape), normal(rng, *shape))

        A, b, n, k = normal(rng, self.n, self.n), 1 + normal(rng, self.n).abs(), self.n, self.k
        return Given(A, b, drawn(k, n), drawn(k, n), drawn(k, 1), drawn(k, 1))

    def predict(self, given: Given) -> list[float]:
        return [float(answer.holds) for answer in halves(given)]

    def measure(self, given: Given) -> Kept:
        found = gaps(given)
        return Kept([float(gap <= ROUNDING) for gap in found], gaps=found)

    @picture(
        "Maps that obey the superposition principle",
        x="map",
        y="largest violation",
        log="y",
        caption="Exact zeros are drawn at 1e-17.",
        names=NAMES,
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        tests = halves(trial.given)

        def shown(values: list[float], label: str, role: Role) -> Points:
            return Points(range(len(NAMES)), [max(v, 1e-17) for v in values], label, role)

        yield shown([t.gaps["additivity"] for t in tests], "additivity", "predicted")
        yield shown([t.gaps["homogeneity"] for t in tests], "homogeneity", "other")
        yield shown(trial.kept.gaps, "superposition", "measured")
        yield Level(ROUNDING, label="rounding below", role="other")
