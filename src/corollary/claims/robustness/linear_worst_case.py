r"""The worst perturbation of a linear model.

For :math:`f(x)=\langle w,x\rangle+b` and a label :math:`y=\pm1`

.. math:: \min_{\|\delta\|\le\epsilon}y\,f(x+\delta)=y\,f(x)-\epsilon\|w\|_*,

with the dual norm: :math:`\|w\|_1` for :math:`\ell_\infty`, where
:math:`\delta=-\epsilon y\operatorname{sign}w`; :math:`\|w\|_2` for :math:`\ell_2`;
:math:`\|w\|_\infty` for :math:`\ell_1`. In d dimensions many changes of size :math:`\epsilon` add
up to :math:`\epsilon\|w\|_1`, which grows with d. Measured: the smallest margins that projected
gradient ascent finds.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.1, Equations 12.1 to 12.3;
    Goodfellow, Shlens and Szegedy (2015), "Explaining and harnessing adversarial examples", Section
    3.
:kind: identity
:uses: cauchy_schwarz
:covers: adversarial-example-problem, pgd-attack
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Claim, Parity, Suppose, Sweep, equals, normal, option
from corollary.models.mlp import MLP
from corollary.theory.prerequisites.lipschitz import batch_gradient
from corollary.theory.robustness.balls import Norm, dual_size
from corollary.theory.robustness.gradient_attacks import PGD
from corollary.theory.robustness.scores import margins


class Given(NamedTuple):
    model: nn.Module
    x: Float[Tensor, "n d"]

    def score(self, x: Tensor) -> Tensor:
        """One number per row."""
        out: Tensor = self.model(x)[:, 0]
        return out

    @property
    def y(self) -> Tensor:
        """The labels that the score gives."""
        return torch.where(self.score(self.x) >= 0, 1.0, -1.0).double()


def _bend(given: Given) -> Tensor:
    x, step = given.x, given.x.flip(0) + 1
    bend = given.score(x + step) + given.score(x - step) - 2 * given.score(x)
    return 1e-9 - bend.abs().max()


class LinearWorstCase(Claim[Given]):
    n: int = option(8, low=1, high=100)  # inputs
    d: int = option(30, low=2, high=500)  # dimension
    eps: float = option(0.3, low=0.001, high=10.0)  # size of perturbations
    norm: Norm = "linf"  # norm of perturbations: linf, l2 or l1

    relation = equals(ulps=2**12, scale=1.0)  # sums of d terms, forty steps
    supposes = Suppose(
        "f is affine",
        _bend,
        "For a tanh network, the worst margin is not the one of its linearisation.",
        model=lambda g, rng: MLP([g.x.shape[1], 20, 1], "tanh", rng=rng),
    )
    symbols = "y f(x) − ε‖w‖*", "smallest y f(x+δ) found by projected ascent"
    shows = (
        Sweep(
            "A linear margin falls in proportion to ε",
            "eps",
            (0.001, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6),
            x="ε",
            log="",
        ),
        Parity("The worst perturbation of a linear model"),
    )

    def given(self, rng: Generator) -> Given:
        model = nn.Linear(self.d, 1, dtype=torch.float64)
        model.load_state_dict({"weight": normal(rng, 1, self.d), "bias": normal(rng, 1)})
        return Given(model, normal(rng, self.n, self.d))

    def predict(self, given: Given) -> Tensor:
        g = batch_gradient(given.score, given.x)
        clean = margins(given.score(given.x), given.y)
        return clean - self.eps * dual_size(g, self.norm)

    def measure(self, given: Given) -> Tensor:
        attack = PGD(self.eps, steps=40, norm=self.norm, start="zero", box=None, keep="last")
        moved = attack.inputs(given.model, given.x, given.y)
        return margins(given.score(moved), given.y)
