r"""Greedy approximation: units chosen one by one reach a squared error of order 1/n.

If f lies in the hull of :math:`\{\pm M\phi:\phi\in\Phi\}`, the greedy algorithm, which at each step
moves as far as is best towards the unit with the largest correlation with what is left, has after n
steps

.. math:: \|f-f_n\|^2\le\Bigl(\frac1{\|f\|^2}+\frac nK\Bigr)^{-1}\le\frac{4M^2}{n+4},\qquad
   K=\max_{\pm,\phi}\|f\mp M\phi\|^2,

the second for :math:`\|\phi\|\le1`. This is a constructive form of Barron's theorem, with M the
mass of the threshold representation. If M is understated the target is out of reach, and the error
stops falling. The best unit g has :math:`\langle f-f_n,f-g\rangle\le0`, so a step of length a
leaves at most :math:`(1-a)^2e_n+a^2K`, and the best a gives :math:`1/e_{n+1}\ge1/e_n+1/K`. The mean
of many orthonormal units nearly attains it.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 27; Barron (1993), Universal
    approximation bounds for superpositions of a sigmoidal function; Jones (1992), A simple lemma
    on greedy approximation in Hilbert space; Jaggi (2013), Revisiting Frank-Wolfe, Theorem 1, with
    16 M^2/(n+2).
:kind: bound
:uses: barron_threshold_mass
:covers: barron-theorem
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, at_most, normal, option
from corollary.models.approximators.barron import greedy, sample_units
from corollary.models.approximators.steps import step
from corollary.theory.approximation.spectra import Cosines


class Given(NamedTuple):
    features: Float[Tensor, "p N"]  # threshold units at points
    c: Float[Tensor, " N"]  # coefficients of the target
    M: float  # the mass allowed


class BarronGreedy(Claim[Given]):
    d: int = option(3, low=1, high=50)  # dimension
    n: int = option(40, low=4, high=400)  # steps

    relation = at_most(ulps=256)  # sums over the points are rounded
    supposes = Suppose(
        "the coefficients of f have moduli that sum to at most M",
        lambda g: ((mass := float(g.c.abs().sum())) <= g.M, f"{mass:.3g}, M = {g.M:.3g}"),
        "The coefficients of this target sum to more than M, and the error stops falling.",
        M=lambda g: g.M / 50,
    )
    symbols = "1 / (1/‖f‖² + n/K)", "‖f − fₙ‖²"
    shows = Along("Squared error of the greedy approximation", x="steps n", first=1, log="xy")

    def given(self, rng: Generator) -> Given:
        w = normal(rng, 1, self.d)
        w = 0.5 * w / w.norm()
        units = sample_units(Cosines(w, w.new_ones(1), w.new_full((1,), 0.1)), 600, rng=rng)
        u = normal(rng, 200, self.d)
        features = step(u / u.norm(dim=1, keepdim=True) @ units.w.T + units.b)
        c = units.c / len(units.c)
        return Given(features, c, float(c.abs().sum()))

    def predict(self, given: Given) -> Tensor:
        f, corners = (given.features @ given.c)[:, None], given.M * given.features
        K = max(float((f + sign * corners).square().mean(0).max()) for sign in (1, -1))
        return 1 / (1 / f.square().mean() + torch.arange(1.0, self.n + 1, dtype=f.dtype) / K)

    def measure(self, given: Given) -> Tensor:
        return greedy(given.features, given.features @ given.c, given.M, self.n).errors

    def tight(self) -> Given:
        """The mean of orthonormal units."""
        e = torch.eye(self.n, dtype=torch.float64)
        return Given(e, e.new_full((self.n,), 1 / self.n), 1.0)
