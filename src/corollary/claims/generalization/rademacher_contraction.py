r"""The contraction lemma.

If :math:`\varphi:\mathbb R\to\mathbb R` is L-Lipschitz, then

.. math:: \hat{\mathcal R}_S(\varphi\circ\mathcal F)\le L\,\hat{\mathcal R}_S(\mathcal F),

whatever :math:`\varphi(0)` is, since there is no absolute value in the definition. Losses and
activations thus cost no more than their Lipschitz constant.

:source: Lucchi (2025), Foundations of Deep Learning, Lemma 64 and Section 8.5, Problem 1b; Ledoux
    and Talagrand (1991), "Probability in Banach spaces", Theorem 4.12.
:kind: bound
:scale-free: Both sides are complexities.
:covers: rademacher-contraction
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Suppose, Trial, at_most, normal, option
from corollary.core.picture import Curve, Marks, Points, Role, picture
from corollary.theory.generalization.rademacher import rademacher_complexity

PHI: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": torch.relu,
    "tanh": torch.tanh,
    "ramp": lambda t: t.clamp(0, 1),
    "abs": torch.abs,
    "shifted": lambda t: 3 + torch.sin(t),
}


class Given(NamedTuple):
    values: Float[Tensor, "k m"]  # a finite class by its values
    phi: tuple[Callable[[Tensor], Tensor], ...]  # functions of the values
    L: float  # the Lipschitz constant they are said to have


def is_lipschitz(given: Given) -> tuple[bool, str]:
    """The steepest chord between neighbours among the values."""
    t = given.values.flatten().sort().values
    rises = [((f(t[1:]) - f(t[:-1])).abs() / (t[1:] - t[:-1])).nan_to_num(0.0) for f in given.phi]
    steepest = float(torch.stack(rises).max())
    return steepest <= given.L * (1 + 1e-9), f"steepest chord {steepest:.3g}"


def step(t: Tensor) -> Tensor:
    """A jump from 0 to 1."""
    return (t > 0).to(t.dtype)


class RademacherContraction(Claim[Given]):
    m: int = option(8, low=1, high=12)  # points
    k: int = option(8, low=1, high=100)  # functions
    scale: float = option(1.5, low=0.1, high=10.0)  # standard deviation of their values

    relation = at_most(ulps=64)  # sums over all signs
    supposes = Suppose(
        "each φ is L-Lipschitz on the values",
        is_lipschitz,
        "φ jumps at 0, so small differences become differences of 1.",
        values=lambda g: g.values / 100,
        phi=lambda _: (step,) * len(PHI),
    )
    symbols = "L R_S(F)", "R_S(φ∘F)"
    rows = tuple(f"φ = {name}" for name in PHI)

    def given(self, rng: Generator) -> Given:
        return Given(self.scale * normal(rng, self.k, self.m), tuple(PHI.values()), 1.0)

    def predict(self, given: Given) -> list[float]:
        return [given.L * rademacher_complexity(given.values)] * len(given.phi)

    def measure(self, given: Given) -> list[float]:
        return [rademacher_complexity(phi(given.values)) for phi in given.phi]

    def tight(self, rng: Generator) -> Given:
        """Values that ReLU leaves alone."""
        return Given(normal(rng, 8, 8).abs(), (torch.relu,), 1.0)

    @picture("Contraction by Lipschitz functions and by a jump", x="size of the values", log="xy")
    def marks(self, trial: Trial[Given]) -> Marks:
        scales, unit = [0.03, 0.1, 0.3, 1.0, 3.0, 10.0], trial.given.values / self.scale
        bound = [rademacher_complexity(s * unit) for s in scales]
        yield Curve(bound, scales, label=self.symbols[0], role="predicted")
        for name, phi in (PHI | {"step": step}).items():
            found = [rademacher_complexity(phi(s * unit)) for s in scales]
            role: Role = "other" if name == "step" else "measured"
            yield Points(scales, found, label=f"φ = {name}", role=role)
