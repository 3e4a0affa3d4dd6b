r"""Depth without non-linearity is one matrix.

If all layers are affine, :math:`x^l=W_lx^{l-1}+b_l`, the network of :math:`L` layers is the affine
map

.. math:: x\mapsto Wx+b,\qquad W=W_L\cdots W_1,\qquad b=\sum_{l=1}^LW_L\cdots W_{l+1}b_l ,

and the rank of :math:`W` is at most the smallest width. Depth adds nothing to what such a network
can express. The claim compares the network, layer by layer, with the one map.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.2.3, Theorem 11; Lucchi (2024),
    Foundations of Deep Learning (slides), Lecture 1, Theorem 1; Perez Jensen (2025), Deep
    Learning, Section 2.3.
:kind: theorem
:uses: linear_map_matrix
:covers: linear-composition
"""

from typing import NamedTuple

from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, equals, near, normal
from corollary.models.collapse import collapse_linear
from corollary.models.mlp import MLP


class Given(NamedTuple):
    net: MLP
    x: Float[Tensor, "k n"]  # points


def with_activation(net: MLP, phi: str) -> MLP:
    """The same weights with this activation after each hidden layer."""
    twin = MLP(net.widths, phi)
    twin.load_state_dict(net.state_dict())
    return twin


class LinearComposition(Claim[Given]):
    widths: tuple[int, ...] = (6, 9, 4, 8, 5)  # input, hidden layers, output
    k: int = 16  # points

    relation = equals(ulps=4096, scale=1.0)  # sums of width terms in every layer, in another order
    supposes = Suppose(
        "every layer is affine, without a non-linear activation",
        lambda g: near(g.net(g.x) + g.net(-g.x), 2 * g.net(0 * g.x)),
        "With ReLU between the layers, the network is not an affine map.",
        net=lambda g: with_activation(g.net, "relu"),
    )
    symbols = "W x + b", "output of the network"
    shows = Parity("A deep linear network is one matrix")

    def given(self, rng: Generator) -> Given:
        net = MLP(self.widths, "linear", rng=rng)
        for p in net.parameters():
            p.data = p if p.ndim == 2 else normal(rng, *p.shape)  # biases start at zero
        return Given(net, normal(rng, self.k, self.widths[0]))

    def predict(self, given: Given) -> Tensor:
        return collapse_linear(with_activation(given.net, "linear")).apply(given.x).flatten()

    def measure(self, given: Given) -> Tensor:
        output: Tensor = given.net(given.x)
        return output.flatten()
