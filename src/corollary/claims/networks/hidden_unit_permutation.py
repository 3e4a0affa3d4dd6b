r"""Permuting hidden units changes nothing.

For an entrywise :math:`\varphi` and a permutation matrix :math:`P`,
:math:`\varphi(PWx+Pb)=P\varphi(Wx+b)`, so that

.. math:: V P^\top\varphi(PWx+Pb)=V\varphi(Wx+b):

each function of a network with :math:`m` hidden units has :math:`m!` equal copies in the space of
its parameters. Entries 0 and 1 are what it takes: the average
:math:`\frac1m\mathbf{1}\mathbf{1}^\top` has rows and columns that sum to 1 as well, and changes the
function.

:source: Perez Jensen (2025), Deep Learning, Section 2.2.
:kind: identity
:cost: instant
:covers: hidden-unit-permutation-symmetry
:erratum: [missing hypothesis] A footnote of the notes characterises permutation matrices by unit
    row and column sums alone; the entries must also be 0 or 1. The counterexample here has the
    sums and another function.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals
from corollary.theory.networks.activations import activation
from corollary.theory.networks.permutations import permutation_matrix


class Given(NamedTuple):
    """A network with one hidden layer, a matrix to mix its units with, and points."""

    W: Float[Tensor, "m d"]
    b: Float[Tensor, " m"]
    V: Float[Tensor, "1 m"]
    P: Float[Tensor, "m m"]
    x: Float[Tensor, "k d"]


class HiddenUnitPermutation(Claim[Given]):
    d: int = 3  # input dimension
    m: int = 12  # hidden units
    k: int = 40  # points
    phi: Literal["relu", "tanh", "sigmoid", "elu"] = "relu"  # entrywise activation
    relation = equals(ulps=256, scale=1.0)  # sums of m terms in another order

    def given(self, rng: Generator) -> Given:
        """Gaussian weights and a random order."""

        def normal(*shape: int) -> Tensor:
            return torch.randn(*shape, generator=rng, dtype=torch.float64, device=rng.device)

        W, b, V = normal(self.m, self.d), normal(self.m), normal(1, self.m) / self.m**0.5
        P = permutation_matrix(torch.randperm(self.m, generator=rng)).to(W)
        return Given(W, b, V, P, normal(self.k, self.d))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The two halves of being a permutation."""
        P = given.P
        one = torch.ones(len(P)).to(P)
        sums = bool(torch.allclose(P.sum(0), one) and torch.allclose(P.sum(1), one))
        yield Hypothesis("rows and columns of P sum to 1", sums)
        yield Hypothesis("the entries of P are 0 or 1", bool(((P == 0) | (P == 1)).all()))

    def predict(self, given: Given) -> list[float]:
        """The network."""
        W, b, V, _, x = given
        return (activation(self.phi)(x @ W.T + b) @ V.T).flatten().tolist()

    def measure(self, given: Given) -> list[float]:
        """The network with its units mixed by P, and unmixed by its transpose."""
        W, b, V, P, x = given
        return (activation(self.phi)(x @ (P @ W).T + P @ b) @ (V @ P.T).T).flatten().tolist()

    def counterexample(self, rng: Generator) -> Given:
        """The average of all units: unit sums, but no permutation."""
        given = self.given(rng)
        return given._replace(P=torch.full_like(given.P, 1 / self.m))

    def figure(self, given: Given) -> Figure:
        """All three along a line."""
        t = torch.linspace(-3, 3, 121).to(given.x)
        line = given._replace(x=t[:, None] * given.x[0] / given.x[0].norm())
        average = line._replace(P=torch.full_like(given.P, 1 / self.m))
        marks = (
            Curve(self.predict(line), x=t, label="the network", role="predicted"),
            Points(t[::6], self.measure(line)[::6], label="units permuted"),
            Curve(self.measure(average), x=t, label="units averaged", role="other", dashed=True),
        )
        return Figure("Units in another order", x="t, along x₁", y="f(t)", marks=marks)
