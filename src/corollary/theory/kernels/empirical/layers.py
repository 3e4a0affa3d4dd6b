r"""The gradient of one sample with respect to a parameter, in factors.

With :math:`g^o_{is} = \partial f_o(x_i)/\partial h_s`, h what the layer gives at place s, the
gradient of its weight is a sum over places,

.. math:: \frac{\partial f_o(x_i)}{\partial W} = \sum_s g^o_{is}\,a_{is}^\top ,

with :math:`a_{is}` what the layer sees there: its input, a patch, or the unit vector of a token.
The bias has the same with a = 1; norms multiply coordinate by coordinate.
"""

from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor
from torch.nn import functional


@dataclass(frozen=True)
class Outer:
    """Gradients that are sums over places s of :math:`g a^T`."""

    a: Float[Tensor, "n s a"]
    g: Float[Tensor, "c n s g"]
    bias: bool = False  # whether a bias (a = 1 at every place) goes with the weight
    transposed: bool = False  # whether the parameter is laid out (a, g), as in x @ W

    def explicit(self) -> Float[Tensor, "c n p"]:
        """The gradients themselves, laid out as the parameter."""
        j = self.g.mT @ self.a
        return (j.mT if self.transposed else j).flatten(2)


@dataclass(frozen=True)
class Tokens:
    """The same for an embedding, where a is the unit vector of a token."""

    ids: Tensor  # (n, s)
    g: Float[Tensor, "c n s g"]
    rows: int  # of the weight

    def explicit(self) -> Float[Tensor, "c n p"]:
        """The gradients themselves: rows of the weight that occur, zeros elsewhere."""
        c, n, _, wide = self.g.shape
        out = self.g.new_zeros(c, n, self.rows, wide)
        index = self.ids[None, :, :, None].expand(self.g.shape)
        return out.scatter_add_(2, index, self.g).flatten(2)

    def outer(self) -> Outer:
        """Unit vectors of those tokens that occur, so that the vocabulary does not count."""
        seen, ids = self.ids.unique(return_inverse=True)
        ones = functional.one_hot(ids, len(seen)).to(self.g.dtype)
        return Outer(ones, self.g)


@dataclass(frozen=True)
class Head:
    """The same for the linear layer that gives the outputs, where g is the output's unit vector."""

    a: Float[Tensor, "n a"]
    bias: bool = False


@dataclass(frozen=True)
class Explicit:
    """Gradients written out, for parameters with few numbers."""

    j: Float[Tensor, "c n p"]

    def explicit(self) -> Float[Tensor, "c n p"]:
        """The gradients themselves."""
        return self.j


Spread = Outer | Tokens | Explicit  # what a layer's rule gives
Factors = Spread | Head
