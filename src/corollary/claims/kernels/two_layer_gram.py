r"""The Gram matrix of a two-layer ReLU network.

For :math:`f(x) = \frac1{\sqrt m}\sum_r a_r(w_r^\top x)_+` with signs :math:`a_r = \pm1` and only
the first layer trained,

.. math:: \langle\nabla f(x_i), \nabla f(x_j)\rangle = H_{ij}
          = x_i^\top x_j\,\frac1m\sum_r 1\{w_r^\top x_i > 0,\ w_r^\top x_j > 0\},

and under gradient flow on the squared loss :math:`\dot u = H(t)(y - u)`.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 7, Exercise 1 a-c; Du, Zhai, Poczos
    and Singh (2019), "Gradient descent provably optimizes over-parameterized neural networks".
:kind: identity
:uses: shallow_gradient, functional_flow
:covers: ntk-two-layer-gram
:erratum: [notation] Exercise 1c has >= in the indicator where the hinted derivative of ReLU is 0
    at 0; they differ on ties only, which have probability zero at initialisation.
"""

from typing import NamedTuple

from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn.utils import skip_init

from corollary.core import Claim, Parity, Suppose, equals, normal, option
from corollary.theory.kernels.empirical import empirical_ntk
from corollary.theory.kernels.shallow import two_layer_gram


class Given(NamedTuple):
    net: nn.Sequential
    x: Float[Tensor, "n d"]  # inputs

    @property
    def w(self) -> Tensor:
        return next(self.net.parameters()).detach()


def network(w: Tensor, a: Tensor, *, both: bool) -> nn.Sequential:
    """The network with these weights, and whether its second layer is trained too."""
    m, d = w.shape
    first, last = (skip_init(nn.Linear, *size, bias=False) for size in ((d, m), (m, 1)))
    first.weight = nn.Parameter(w)
    last.weight = nn.Parameter(a[None] / m**0.5, requires_grad=both)
    return nn.Sequential(first, nn.ReLU(), last)


class TwoLayerGram(Claim[Given]):
    m: int = option(50, low=1, high=5000)  # hidden units
    n: int = option(5, low=2, high=100)  # inputs
    d: int = option(3, low=1, high=100)  # dimension

    relation = equals(ulps=2**12, scale=1.0)  # sums of 50 products of order 1
    supposes = (
        Suppose(
            "only the first layer is trained",
            lambda g: [p.requires_grad for p in g.net.parameters()] == [True, False],
            "If both layers are trained, the second layer adds the products of the features.",
            net=lambda g: network(g.w, g.w.sign()[:, 0], both=True),
        ),
        Suppose("no unit is exactly at its kink", lambda g: (g.x @ g.w.T).abs().min()),
    )
    symbols = "H", "products of gradients"
    shows = Parity("Gram matrix of a two-layer ReLU network")

    def given(self, rng: Generator) -> Given:
        x, w, a = normal(rng, self.n, self.d), normal(rng, self.m, self.d), normal(rng, self.m)
        return Given(network(w, a.sign(), both=False), x / x.norm(dim=1, keepdim=True))

    def predict(self, given: Given) -> Tensor:
        return two_layer_gram(given.w, given.x).flatten()

    def measure(self, given: Given) -> Tensor:
        return empirical_ntk(given.net, given.x).flatten()
