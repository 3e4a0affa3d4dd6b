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
:cost: instant
:covers: superposition-principle
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Complex, Float
from torch import Generator, Tensor

from corollary.core import Claim, Figure, Hypothesis, Level, Points, equals
from corollary.theory.connectionism.linearity import Linearity, is_linear

ROUNDING = 1e-9  # a violation is of the order of the terms, rounding is 1e-15 of them


class Given(NamedTuple):
    """A linear map, an offset, and where to ask."""

    A: Float[Tensor, "n n"]  # matrix of the linear part
    b: Float[Tensor, " n"]  # offset
    x: Complex[Tensor, "k n"]  # points; real maps are asked at the real parts
    y: Complex[Tensor, "k n"]  # points
    alpha: Complex[Tensor, "k 1"]  # weights
    beta: Complex[Tensor, "k 1"]  # weights
    seed: int  # of the tests of the two halves


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
    rng = torch.Generator(given.x.device).manual_seed(given.seed)
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


@dataclass(frozen=True)
class Superposition(Claim[Given]):
    """Linear iff superposition, over a small zoo."""

    n: int = 6  # dimension
    k: int = 64  # pairs of points
    relation = equals()  # yes and no, as 1 and 0

    def given(self, rng: Generator) -> Given:
        """A random matrix and offset, points and free weights."""

        def normal(*shape: int, dtype: torch.dtype = torch.complex128) -> Tensor:
            return torch.randn(*shape, generator=rng, device=rng.device, dtype=dtype)

        n, k, f64 = self.n, self.k, torch.float64
        seed = int(torch.randint(2**31, (), generator=rng, device=rng.device))
        A, b = normal(n, n, dtype=f64), 1 + normal(n, dtype=f64).abs()
        x, y = normal(k, n), normal(k, n)
        return Given(A, b, x, y, normal(k, 1), normal(k, 1), seed)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The weights must be free."""
        tied = (given.alpha + given.beta - 1).abs() < 1e-9
        yield Hypothesis(
            "the weights α and β are chosen freely, not with α + β = 1", not tied.any()
        )

    def predict(self, given: Given) -> list[float]:
        """1 for the maps that are both additive and homogeneous."""
        return [float(answer.holds) for answer in halves(given)]

    def measure(self, given: Given) -> list[float]:
        """1 for the maps that obey superposition at all the points."""
        return [float(gap <= ROUNDING) for gap in gaps(given)]

    def counterexample(self, rng: Generator) -> Given:
        """Weights with sum 1: the affine map obeys, and is not linear."""
        given = self.given(rng)
        return given._replace(beta=1 - given.alpha)

    def figure(self, given: Given) -> Figure:
        """Violations of the principle and of its two halves, map by map."""
        places = list(range(1, 1 + len(maps(given))))
        tests = halves(given)

        def shown(values: list[float], label: str, role: str) -> Points:
            return Points(places, [max(v, 1e-17) for v in values], label=label, role=role)  # type: ignore[arg-type]

        names = ", ".join(f"{i} is {name}" for i, name in zip(places, maps(given), strict=True))
        marks = (
            shown([t.gaps["additivity"] for t in tests], "additivity", "predicted"),
            shown([t.gaps["homogeneity"] for t in tests], "homogeneity", "other"),
            shown(gaps(given), "superposition", "measured"),
            Level(ROUNDING, label="rounding below", role="other"),
        )
        return Figure(
            "Who obeys superposition", x="map", y="largest violation", marks=marks, log_y=True,
            caption=f"{names}. Exact zeros are drawn at 1e-17.",
        )  # fmt: skip
