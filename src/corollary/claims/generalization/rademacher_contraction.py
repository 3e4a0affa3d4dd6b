r"""The contraction lemma.

If :math:`\varphi:\mathbb R\to\mathbb R` is L-Lipschitz, then

.. math:: \hat{\mathcal R}_S(\varphi\circ\mathcal F)\le L\,\hat{\mathcal R}_S(\mathcal F),

whatever :math:`\varphi(0)` is, since there is no absolute value in the definition. Losses and
activations thus cost no more than their Lipschitz constant.

:source: Lucchi (2025), Foundations of Deep Learning, Lemma 64 and Section 8.5, Problem 1b; Ledoux
    and Talagrand (1991), "Probability in Banach spaces", Theorem 4.12.
:kind: bound
:cost: instant
:covers: rademacher-contraction
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_most, option
from corollary.theory.generalization.rademacher import rademacher_complexity

PHI: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": torch.relu,
    "tanh": torch.tanh,
    "ramp": lambda t: t.clamp(0, 1),
    "abs": torch.abs,
    "shifted": lambda t: 3 + torch.sin(t),
    "step": lambda t: (t > 0).to(t.dtype),
}
SMOOTH = ("relu", "tanh", "ramp", "abs", "shifted")


class Given(NamedTuple):
    """A finite class by its values, functions by name, and the constant they are said to have."""

    values: Float[Tensor, "k m"]
    names: tuple[str, ...]
    L: float


@dataclass(frozen=True)
class RademacherContraction(Claim[Given]):
    """Complexities after 1-Lipschitz functions, over all signs."""

    m: int = option(8, low=1, high=12)  # points
    k: int = option(8, low=1, high=100)  # functions
    scale: float = option(1.5, low=0.1, high=10.0)  # standard deviation of their values
    relation = at_most(ulps=64)  # sums over all signs

    def given(self, rng: Generator) -> Given:
        """Gaussian values."""
        values = torch.randn(self.k, self.m, generator=rng, dtype=torch.float64)
        return Given(self.scale * values, SMOOTH, 1.0)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The Lipschitz constant, between all pairs of values."""
        t = given.values.flatten().sort().values
        for name in given.names:
            rise = (PHI[name](t[1:]) - PHI[name](t[:-1])).abs() / (t[1:] - t[:-1])
            slope = float(rise.nan_to_num(0.0).max())
            yield Hypothesis(
                "phi is L-Lipschitz on the values",
                slope <= given.L * (1 + 1e-9),
                f"{name}: steepest chord {slope:.3g}",
            )

    def predict(self, given: Given) -> float:
        """L times the complexity of the class."""
        return given.L * rademacher_complexity(given.values)

    def measure(self, given: Given) -> list[float]:
        """The complexity after each function."""
        return [rademacher_complexity(PHI[name](given.values)) for name in given.names]

    def counterexample(self, rng: Generator) -> Given:
        """A jump: values near 0 become 0 and 1."""
        values, _, L = self.given(rng)
        return Given(values / 100, ("step",), L)

    def figure(self, given: Given) -> Figure:
        """Complexities against the scale of the class."""
        scales = [0.03, 0.1, 0.3, 1.0, 3.0, 10.0]
        unit = given.values / self.scale
        bound = [given.L * rademacher_complexity(s * unit) for s in scales]
        marks = [
            Points(
                scales,
                [rademacher_complexity(PHI[name](s * unit)) for s in scales],
                label=f"φ = {name}",
                role="other" if name == "step" else "measured",
            )
            for name in (*SMOOTH, "step")
        ]
        return Figure(
            "Only a jump makes small differences large",
            x="size of the values",
            y="R_S(φ∘F)",
            log_x=True,
            log_y=True,
            marks=(Curve(bound, scales, label="L R_S(F)", role="predicted"), *marks),
        )
