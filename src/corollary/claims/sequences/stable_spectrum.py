r"""Eigenvalues that no step can push out of the disc.

With :math:`\lambda=\exp(-e^\nu+i\varphi)` every real :math:`\nu` and :math:`\varphi` give

.. math:: |\lambda|=\exp(-e^\nu)\in(0,1),

so a gradient step of any size leaves the recurrence stable. If modulus and phase are the
parameters themselves, :math:`\lambda=re^{i\varphi}`, a few steps are enough to leave the disc.

:source: Perez Jensen (2025), Deep Learning, Section 5.2; Orvieto, Smith, Gu, Fernando, Gulcehre,
    Pascanu and De (2023), "Resurrecting recurrent neural networks for long sequences".
:kind: construction
:cost: instant
:covers: lru-eigenvalue-parametrization
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Points, at_most, option
from corollary.theory.sequences.stable_eigenvalues import lru_init, stable_eigenvalues


class Given(NamedTuple):
    """Parameters, what the output should be, and how parameters become eigenvalues."""

    nu: Float[Tensor, " m"]
    phi: Float[Tensor, " m"]
    free: bool  # modulus and phase are the parameters


@dataclass(frozen=True)
class StableSpectrum(Claim[Given]):
    """The largest modulus after each gradient step of a loss that wants to leave the disc."""

    m: int = option(16, low=1, high=500)  # eigenvalues
    steps: int = option(20, low=5, high=200)  # gradient steps
    eta: float = option(0.5, low=0.1, high=10.0)  # step size
    relation = at_most()  # the modulus is rounded to at most 1

    def given(self, rng: Generator) -> Given:
        """A ring of eigenvalues close to the circle."""
        nu, phi = lru_init(self.m, 0.8, 0.99, rng=rng)
        return Given(nu, phi, False)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The parametrisation."""
        yield Hypothesis("λ = exp(-exp(ν) + iφ)", not given.free)

    def predict(self, given: Given) -> list[float]:
        """1 after every step."""
        return [1.0] * (self.steps + 1)

    def measure(self, given: Given) -> list[float]:
        """Largest moduli along the run."""
        return [float(values.abs().max()) for values in self._path(given)]

    def counterexample(self, rng: Generator) -> Given:
        """Free moduli."""
        return self.given(rng)._replace(free=True)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Moduli along both runs, and where the eigenvalues end."""
        kept, lost = self._path(given), self._path(given._replace(free=True))
        marks = (
            Curve([float(v.abs().max()) for v in kept], label="λ = exp(−e^ν + iφ)"),
            Curve([float(v.abs().max()) for v in lost], label="λ = r e^{iφ}, r free",
                  role="other", dashed=True),
            Level(1.0, label="the circle"),
        )  # fmt: skip
        angle = torch.linspace(0, 2 * torch.pi, 200, dtype=torch.float64)
        places = (
            Curve(angle.sin(), x=angle.cos(), label="unit circle", role="predicted"),
            Points(kept[0].real, kept[0].imag, label="at the start", role="other"),
            Points(kept[-1].real, kept[-1].imag, label="at the end"),
        )
        return (
            Figure("The largest modulus while training", x="steps", y="max |λ|", marks=marks),
            Figure("The spectrum", x="Re λ", y="Im λ", equal=True, marks=places),
        )

    def _path(self, given: Given) -> list[Tensor]:
        """Gradient descent on (|λ|² - 2)² / 4, whose minimum lies outside the disc."""
        p = torch.exp(-torch.exp(given.nu)) if given.free else given.nu
        p, path = p.clone().requires_grad_(), []
        for _ in range(self.steps + 1):
            values = torch.polar(p, given.phi) if given.free else stable_eigenvalues(p, given.phi)
            path.append(values.detach())
            loss = (values.real.square() + values.imag.square() - 2).square().sum() / 4
            (g,) = torch.autograd.grad(loss, p)
            p = (p - self.eta * g).detach().requires_grad_()
        return path
