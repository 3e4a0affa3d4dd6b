r"""Sigmoidal units see every measure.

An activation is discriminatory if :math:`\int\sigma(w\cdot x+b)\,d\mu(x)=0` for all :math:`w,b`
happens only for :math:`\mu=0`. For measures on k points: the matrix
:math:`\sigma(w_r\cdot x_p+b_r)` over many units has

.. math:: \operatorname{rank}\,[\sigma(w_r\cdot x_p+b_r)]_{r,p}=k .

A polynomial activation of degree q < k - 1 on a line has rank at most q + 1: a measure orthogonal
to all polynomials of that degree is invisible to it.

:source: Mathematical Foundations of Deep Learning (slides), Universal Approximation Theorem;
    Cybenko (1989), Approximation by superpositions of a sigmoidal function, Lemma 1.
:kind: theorem
:cost: instant
:covers: discriminatory-function
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.models.approximators.shallow import random_units
from corollary.theory.approximation.discriminatory import discriminatory_probe
from corollary.theory.approximation.nonvanishing import polynomial_degree

ACTIVATIONS = {"sigmoid": torch.sigmoid, "tanh": torch.tanh, "ReLU": torch.relu}


class Given(NamedTuple):
    """Points of an interval, units, and activations."""

    x: Float[Tensor, "k 1"]
    w: Float[Tensor, "m 1"]
    b: Float[Tensor, " m"]
    activations: dict[str, Callable[[Tensor], Tensor]]


@dataclass(frozen=True)
class Discriminatory(Claim[Given]):
    """The rank of the matrix of unit values against the number of points."""

    k: int = option(8, low=4, high=20)  # points that carry the measure
    m: int = option(400, low=100, high=5000)  # units that look at it
    relation = equals()  # ranks are integers

    def given(self, rng: Generator) -> Given:
        """Jittered points of [0, 1] and random units that bend among them."""
        jitter = torch.rand(self.k, generator=rng, dtype=torch.float64)
        x = (torch.arange(self.k) + 0.2 + 0.6 * jitter) / self.k
        return Given(x[:, None], *random_units(self.m, 1, 40.0, rng=rng), ACTIVATIONS)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Different points, and no polynomial of low degree."""
        degrees = [polynomial_degree(s, len(given.x) - 2) for s in given.activations.values()]
        yield Hypothesis("the points are different", len(given.x.unique()) == len(given.x))
        yield Hypothesis("no activation is a polynomial of degree below k - 1",
                         all(q is None for q in degrees))  # fmt: skip

    def predict(self, given: Given) -> list[float]:
        """All measures are seen."""
        return [float(len(given.x))] * len(given.activations)

    def measure(self, given: Given) -> list[float]:
        """Numerical ranks."""
        probes = (_probe(s, given) for s in given.activations.values())
        return [float(p.rank) for p in probes]

    def counterexample(self, rng: Generator) -> Given:
        """A square: it sees three moments."""
        return self.given(rng)._replace(activations={"z²": torch.square})

    def figure(self, given: Given) -> Figure:
        """The measure that no square sees, and what sigmoid units see of it."""
        unseen = _probe(torch.square, given).measure
        assert unseen is not None, "a square has rank 3"
        order = torch.argsort(-given.b / given.w[:, 0])
        z = given.w @ given.x.T + given.b[:, None]
        place = (-given.b / given.w[:, 0])[order]
        return Figure(
            "A measure that squares cannot see, and sigmoid units can",
            x="x, or −b/w of a unit",
            y="μ at x, or ∫ σ(wx + b) dμ",
            marks=(
                Points(given.x[:, 0], unseen, label="μ", role="other"),
                Points(place, (torch.sigmoid(z) @ unseen)[order], label="σ = sigmoid"),
                Curve((torch.square(z) @ unseen)[order], place, label="σ = z²", role="predicted"),
            ),
        )


def _probe(sigma: Callable[[Tensor], Tensor], given: Given):  # noqa: ANN202 - a Probe
    return discriminatory_probe(sigma, given.x, given.w, given.b)
