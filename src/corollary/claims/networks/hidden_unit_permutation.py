r"""A permutation of the hidden units does not change the network's function.

For an entrywise :math:`\varphi` and a permutation matrix :math:`P`,
:math:`\varphi(PWx+Pb)=P\varphi(Wx+b)`, so that

.. math:: V P^\top\varphi(PWx+Pb)=V\varphi(Wx+b):

each function of a network with :math:`m` hidden units has :math:`m!` equal copies in the space of
its parameters. Entries 0 and 1 are what it takes: the average
:math:`\frac1m\mathbf{1}\mathbf{1}^\top` has rows and columns that sum to 1 as well, and changes the
function.

:source: Perez Jensen (2025), Deep Learning, Section 2.2.
:kind: identity
:covers: hidden-unit-permutation-symmetry
:scale-free: The two networks are equal for every activation and permutation.
:erratum: [missing hypothesis] A footnote of the notes characterises permutation matrices by unit
    row and column sums alone; the entries must also be 0 or 1. The counterexample here has the
    sums and another function.
"""

from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, near, normal
from corollary.theory.networks.activations import activation
from corollary.theory.networks.permutations import permutation_matrix


class Given(NamedTuple):
    W: Float[Tensor, "m d"]  # a network with one hidden layer
    b: Float[Tensor, " m"]
    V: Float[Tensor, "1 m"]
    P: Float[Tensor, "m m"]  # mixes its units
    x: Float[Tensor, "k d"]  # points on a line


class HiddenUnitPermutation(Claim[Given]):
    d: int = 3  # input dimension
    m: int = 12  # hidden units
    phi: Literal["relu", "tanh", "sigmoid", "elu"] = "relu"  # entrywise activation

    relation = equals(ulps=256, scale=1.0)  # sums of m terms in another order
    supposes = (
        Suppose(
            "rows and columns of P sum to 1",
            lambda g: near(torch.cat([g.P.sum(0), g.P.sum(1)]), 1.0),
            "P copies one unit twice and drops another.",
            P=lambda g: torch.cat([g.P[:1], g.P[:1], g.P[2:]]),
        ),
        Suppose(
            "the entries of P are 0 or 1",
            lambda g: ((g.P == 0) | (g.P == 1)).all(),
            "P averages all units: its rows and columns sum to 1, but it is not a permutation.",
            P=lambda g: torch.full_like(g.P, 1 / len(g.P)),
        ),
    )
    symbols = "the network", "units permuted"
    t = torch.linspace(-3, 3, 41, dtype=torch.float64).tolist()
    shows = Along("The function with permuted hidden units", x="t, along a line", y="f(t)", at="t")

    def given(self, rng: Generator) -> Given:
        W, b = normal(rng, self.m, self.d), normal(rng, self.m)
        V, way = normal(rng, 1, self.m) / self.m**0.5, normal(rng, self.d)
        P = permutation_matrix(torch.randperm(self.m, generator=rng)).to(W)
        return Given(W, b, V, P, torch.tensor(self.t)[:, None] * way / way.norm())

    def predict(self, given: Given) -> Tensor:
        W, b, V, _, x = given
        return (activation(self.phi)(x @ W.T + b) @ V.T)[:, 0]

    def measure(self, given: Given) -> Tensor:
        W, b, V, P, x = given
        return (activation(self.phi)(x @ (P @ W).T + P @ b) @ (V @ P.T).T)[:, 0]
