r"""Sigmoidal activations are discriminatory: they detect every signed measure.

An activation is discriminatory if :math:`\int\sigma(w\cdot x+b)\,d\mu(x)=0` for all :math:`w,b`
happens only for :math:`\mu=0`. For measures on k points: the matrix
:math:`\sigma(w_r\cdot x_p+b_r)` over many units has

.. math:: \operatorname{rank}\,[\sigma(w_r\cdot x_p+b_r)]_{r,p}=k .

A polynomial activation of degree q has at most the rank of the polynomials of degree q in d
variables, :math:`\binom{q+d}q`: a measure orthogonal to all of them is invisible to it.

:source: Mathematical Foundations of Deep Learning (slides), Universal Approximation Theorem;
    Cybenko (1989), Approximation by superpositions of a sigmoidal function, Lemma 1.
:kind: theorem
:covers: discriminatory-function
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Suppose, Trial, equals, option, uniform
from corollary.core.picture import Marks, Points, picture
from corollary.models.approximators.shallow import random_units
from corollary.theory.approximation.discriminatory import discriminatory_probe
from corollary.theory.approximation.nonvanishing import polynomial_degree


class Given(NamedTuple):
    x: Float[Tensor, "k d"]  # points of the cube
    w: Float[Tensor, "m d"]  # units
    b: Float[Tensor, " m"]  # their biases
    activations: tuple[Callable[[Tensor], Tensor], ...]


class Discriminatory(Claim[Given]):
    d: int = option(2, low=1, high=3)  # dimension
    k: int = option(12, low=11, high=20)  # points that carry the measure, more than moments
    m: int = option(400, low=100, high=5000)  # units that measure it

    relation = equals()  # ranks are integers
    supposes = (
        Suppose(
            "the points are different",
            lambda g: torch.pdist(g.x).min() - 1e-9,
            "If two points coincide, only the sum of their masses can be measured.",
            x=lambda g: torch.cat([g.x[:1], g.x[:1] + 1e-14, g.x[2:]]),
        ),
        Suppose(
            "no activation is a polynomial of low degree",
            lambda g: all(polynomial_degree(s, 6) is None for s in g.activations),
            "In the plane, units whose activation is the square measure six moments only.",
            activations=(torch.square,) * 3,
        ),
    )
    symbols = "points k", "rank"
    rows = ("sigmoid", "tanh", "ReLU")

    def given(self, rng: Generator) -> Given:
        x = uniform(rng, self.k, self.d)
        x[:, 0] = (torch.arange(self.k) + 0.2 + 0.6 * x[:, 0]) / self.k  # no two are close
        units = random_units(self.m, self.d, 40.0, rng=rng)
        return Given(x, *units, (torch.sigmoid, torch.tanh, torch.relu))

    def predict(self, given: Given) -> list[int]:
        return [len(given.x)] * len(given.activations)

    def measure(self, given: Given) -> Kept:
        probes = [discriminatory_probe(s, given.x, given.w, given.b) for s in given.activations]
        return Kept([p.rank for p in probes], unseen=probes[0].measure)

    @picture(
        "A measure that sigmoid units detect and squares do not",
        x="x₁, or −b/‖w‖ of a unit",
        y="μ at x, or ∫ σ(wx + b) dμ",
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        x, w, b, _ = trial.given
        unseen, z = trial.without[1].kept.unseen, w @ x.T + b[:, None]
        place = -b / w.norm(dim=1)
        yield Points(x[:, 0], unseen, label="μ", role="other")
        yield Points(place, torch.sigmoid(z) @ unseen, label="σ = sigmoid")
        yield Points(place, z.square() @ unseen, label="σ = z²", role="predicted")
