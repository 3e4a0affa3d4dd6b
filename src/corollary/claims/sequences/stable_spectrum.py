r"""Stable parametrisation of a recurrence: eigenvalues stay inside the unit disc.

With :math:`\lambda=\exp(-e^\nu+i\varphi)` every real :math:`\nu` and :math:`\varphi` give

.. math:: |\lambda|=\exp(-e^\nu)\in(0,1),

so a gradient step of any size leaves the recurrence stable. If modulus and phase are the
parameters themselves, :math:`\lambda=re^{i\varphi}`, a few steps are enough to leave the disc.

:source: Perez Jensen (2025), Deep Learning, Section 5.2; Orvieto, Smith, Gu, Fernando, Gulcehre,
    Pascanu and De (2023), "Resurrecting recurrent neural networks for long sequences".
:kind: construction
:covers: lru-eigenvalue-parametrization
:scale-free: the parametrisation is what is supposed; another one does not apply.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Kept, Suppose, Trial, at_most, near, option
from corollary.core.picture import Marks, picture, scatter, unit_circle
from corollary.theory.sequences.stable_eigenvalues import lru_init, stable_eigenvalues


class Given(NamedTuple):
    nu: Float[Tensor, " m"]  # parameters of the moduli
    phi: Float[Tensor, " m"]  # parameters of the angles
    eigenvalues: Callable[[Tensor, Tensor], Tensor]  # what they become


class StableSpectrum(Claim[Given]):
    m: int = option(16, low=1, high=500)  # eigenvalues
    steps: int = option(20, low=5, high=200)  # gradient steps
    eta: float = option(0.5, low=0.1, high=10.0)  # learning rate

    relation = at_most()  # the modulus is rounded to at most 1
    supposes = Suppose(
        "λ = exp(-exp(ν) + iφ)",
        lambda g: near(g.eigenvalues(g.nu, g.phi), torch.exp(torch.complex(-g.nu.exp(), g.phi))),
        "λ = r e^{iφ} with r free leaves the disc.",
        lambda g: Given(torch.exp(-g.nu.exp()), g.phi, torch.polar),
    )
    symbols = "radius of the unit circle", "max |λ|"
    shows = Along("The largest modulus while training", x="steps")

    def given(self, rng: Generator) -> Given:
        """A ring of eigenvalues close to the circle."""
        return Given(*lru_init(self.m, 0.8, 0.99, rng=rng), stable_eigenvalues)

    def predict(self, given: Given) -> list[float]:
        return [1.0] * (self.steps + 1)

    def measure(self, given: Given) -> Kept:
        """Gradient descent on (|λ|² - 2)² / 4, whose minimum lies outside the disc."""
        p, path = given.nu.clone().requires_grad_(), []
        for _ in range(self.steps + 1):
            values = given.eigenvalues(p, given.phi)
            path.append(values.detach())
            loss = (values.real.square() + values.imag.square() - 2).square().sum() / 4
            (g,) = torch.autograd.grad(loss, p)
            p = (p - self.eta * g).detach().requires_grad_()
        return Kept([float(values.abs().max()) for values in path], ends=(path[0], path[-1]))

    @picture("Eigenvalues of the recurrence", x="Re λ", y="Im λ", equal=True)
    def marks(self, trial: Trial[Given]) -> Marks:
        start, end = trial.kept.ends
        yield unit_circle("unit circle")
        yield scatter(start, "at the start", "other")
        yield scatter(end, "at the end")
