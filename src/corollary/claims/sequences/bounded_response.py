r"""Bounded input, bounded state.

A diagonal recurrence :math:`\zeta_t=\lambda\zeta_{t-1}+u_t` with :math:`|\lambda|<1` and
:math:`|u_t|\le M` stays bounded,

.. math:: |\zeta_t|\le M\,\frac{1-|\lambda|^t}{1-|\lambda|}\le\frac{M}{1-|\lambda|},

and an input that keeps turning with :math:`\lambda` attains the first bound. With
:math:`|\lambda|>1` the state grows without limit.

:source: Perez Jensen (2025), Deep Learning, Section 5.2; Orvieto, Smith, Gu, Fernando, Gulcehre,
    Pascanu and De (2023), "Resurrecting recurrent neural networks for long sequences".
:kind: bound
:cost: instant
:covers: linear-recurrent-unit
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Complex
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, at_most, option
from corollary.theory.sequences.scan import linear_scan


class Given(NamedTuple):
    """Eigenvalues and inputs."""

    eigenvalues: Complex[Tensor, " m"]
    u: Complex[Tensor, "T m"]


@dataclass(frozen=True)
class BoundedResponse(Claim[Given]):
    """The largest modulus of each state; the first input is the worst, the others are noise."""

    T: int = option(200, low=50, high=5000)  # steps
    m: int = option(4, low=1, high=100)  # eigenvalues
    r: float = option(0.95, low=0.01, high=0.999)  # modulus of the eigenvalues
    relation = at_most(ulps=2**12)  # the worst input attains the bound up to rounding

    def given(self, rng: Generator) -> Given:
        """Eigenvalues of one modulus; inputs of modulus at most 1."""
        return self._drawn(self.r, rng)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Stability, strictly."""
        largest = float(given.eigenvalues.abs().max())
        yield Hypothesis("all eigenvalues lie inside the unit disc", largest < 1, f"{largest:.3g}")

    def predict(self, given: Given) -> list[float]:
        """M / |1 - |λ||, which is the bound inside the disc."""
        M = given.u.abs().amax(dim=0)
        return (M / (1 - given.eigenvalues.abs()).abs()).tolist()

    def measure(self, given: Given) -> list[float]:
        """Largest moduli over time."""
        return _moduli(given).amax(dim=0).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Eigenvalues just outside."""
        return self._drawn(1.03, rng)

    def figure(self, given: Given) -> Figure:
        """The worst input and one of noise."""
        t = list(range(1, len(given.u) + 1))
        moduli = _moduli(given)
        curves = [Curve(moduli[:, 0], x=t, label="input that turns with λ")]
        if given.u.shape[1] > 1:
            curves.append(Curve(moduli[:, 1], x=t, label="random input", role="other"))
        bound = Level(self.predict(given)[0], label="M / (1 − |λ|)")
        return Figure("The size of a state", x="t", y="|ζ_t|", marks=(*curves, bound))

    def _drawn(self, r: float, rng: Generator) -> Given:
        angle = 2 * torch.pi * torch.rand(self.m, generator=rng, dtype=torch.float64)
        size = torch.rand(self.T, self.m, generator=rng, dtype=torch.float64)
        turn = 2 * torch.pi * torch.rand(self.T, self.m, generator=rng, dtype=torch.float64)
        t = torch.arange(self.T, dtype=torch.float64)
        size[:, 0], turn[:, 0] = 1.0, t * angle[0]
        return Given(torch.polar(torch.full_like(angle, r), angle), torch.polar(size, turn))


def _moduli(given: Given) -> Tensor:
    return linear_scan(given.eigenvalues.expand_as(given.u), given.u).abs()
