r"""Linear layers, dense layers and the multilayer perceptron made of them.

.. math:: L(x;\Theta)=\Theta x,\qquad F[W,b](x)=\varphi(Wx+b),\qquad x^l=F^l(x^{l-1}),

with :math:`W\in\mathbb{R}^{m\times n}` and :math:`b\in\mathbb{R}^m`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.2.1; Perez Jensen (2025), Deep
    Learning, Section 2.2; Lucchi (2024), Foundations of Deep Learning (slides), Lecture 1.
:covers: linear-layer
:erratum: [typo] Section 2.2 of Perez Jensen (2025) puts b in R^n for W in R^{m x n}; the bias
    lives in the output space R^m.
"""

import copy
from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.models.units import AffineUnit, LinearUnit
from corollary.theory.networks.activations import Activation, activation
from corollary.theory.networks.backprop import Layer
from corollary.theory.networks.permutations import checked_permutation
from corollary.theory.seeding import as_generator


class LinearLayer(nn.Module):
    r"""``x -> W x`` or ``W x + b``; row ``j`` of ``W`` is unit ``j``.

    Weights start normal with variance ``1/n``, biases at zero.

    Example:
        >>> layer = LinearLayer(3, 2, rng=torch.Generator().manual_seed(0))
        >>> x = torch.ones(4, 3, dtype=torch.float64)
        >>> torch.equal(layer(x), x @ layer.W.T), torch.equal(layer(x)[:, 1], layer.unit(1)(x))
        (True, True)
    """

    def __init__(
        self,
        n: int,
        m: int,
        *,
        bias: bool = False,
        rng: Generator,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        if n < 1 or m < 1:
            raise InputError(f"a layer needs n >= 1 inputs and m >= 1 units, got n={n}, m={m}")
        self.in_features, self.out_features = n, m
        normal = torch.randn(m, n, generator=rng, device=rng.device, dtype=dtype)
        self.W = nn.Parameter(normal / n**0.5)
        self.b = nn.Parameter(normal.new_zeros(m)) if bias else None

    def forward(self, x: Float[Tensor, "*k n"]) -> Float[Tensor, "*k m"]:
        """The values of all units at each point."""
        if x.ndim == 0 or x.shape[-1] != self.in_features:
            raise InputError(
                f"expected points with {self.in_features} features, got shape {tuple(x.shape)}"
            )
        return nn.functional.linear(x, self.W, self.b)

    def unit(self, j: int) -> LinearUnit | AffineUnit:
        """Unit ``j`` alone, with a copy of its weights."""
        if self.b is None:
            return LinearUnit.of(self.W[j])
        return AffineUnit.of(self.W[j], float(self.b[j].detach()))


class Dense(nn.Module):
    """``x -> phi(W x + b)``.

    Example:
        >>> layer = Dense(3, 2, "relu", rng=torch.Generator().manual_seed(0))
        >>> bool((layer(torch.randn(4, 3).double()) >= 0).all())
        True
    """

    def __init__(
        self,
        n: int,
        m: int,
        phi: Activation | str = "relu",
        *,
        rng: Generator,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        self.affine = LinearLayer(n, m, bias=True, rng=rng, dtype=dtype)
        self.phi = activation(phi) if isinstance(phi, str) else phi
        self.in_features, self.out_features = n, m

    def forward(self, x: Float[Tensor, "*k n"]) -> Float[Tensor, "*k m"]:
        """The activations at each point."""
        return self.phi(self.affine(x))

    def as_layer(self) -> Layer:
        """The weights without gradients, and the activation."""
        W, b = self.affine.W, self.affine.b
        assert b is not None  # a dense layer has biases
        return Layer(W.detach(), b.detach(), self.phi)


class MLP(nn.Module):
    r"""Dense layers of the given widths, with a linear one at the end.

    It has :math:`\sum_l(n_{l-1}+1)n_l` parameters.

    Example:
        >>> net = MLP([2, 5, 1], rng=torch.Generator().manual_seed(0))
        >>> sum(p.numel() for p in net.parameters())
        21
    """

    def __init__(
        self,
        widths: Sequence[int],
        phi: Activation | str = "relu",
        *,
        last: Activation | str = "linear",
        rng: int | Generator = 0,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        rng = as_generator(rng)
        if len(widths) < 2:
            raise InputError(f"a network needs an input and an output width, got {widths}")
        self.widths = list(widths)
        pairs = list(zip(widths, widths[1:], strict=False))
        phis = [phi] * (len(pairs) - 1) + [last]
        self.layers = nn.ModuleList(
            Dense(n, m, f, rng=rng, dtype=dtype) for (n, m), f in zip(pairs, phis, strict=True)
        )

    def forward(self, x: Float[Tensor, "*k n"]) -> Float[Tensor, "*k m"]:
        """The output at each point."""
        for layer in self.layers:
            x = layer(x)
        return x

    def representations(self, x: Float[Tensor, "*k n"]) -> list[Tensor]:
        """The input and the activations of every layer, the output last."""
        out = [x]
        for layer in self.layers:
            out.append(layer(out[-1]))
        return out

    def as_layers(self) -> list[Layer]:
        """The same numbers for :func:`corollary.theory.networks.backprop.backprop`."""
        return [layer.as_layer() for layer in self.layers if isinstance(layer, Dense)]


def permute_hidden(net: MLP, layer: int, perm: Sequence[int] | Tensor) -> MLP:
    """A copy whose hidden layer (counted from 1) has its units in another order, same function.

    Unit ``i`` of the copy is unit ``perm[i]``; the columns of the next layer follow.

    Example:
        >>> net = MLP([2, 3, 1], rng=torch.Generator().manual_seed(0))
        >>> x = torch.randn(4, 2).double()
        >>> torch.allclose(permute_hidden(net, 1, [2, 0, 1])(x), net(x))
        True

    :covers: hidden-unit-permutation-symmetry
    :erratum: [missing hypothesis] Unit row and column sums alone do not make a permutation
        matrix; see :mod:`corollary.theory.networks.permutations`.
    """
    if not 1 <= layer < len(net.layers):
        raise InputError(f"expected a hidden layer from 1 to {len(net.layers) - 1}, got {layer}")
    order = checked_permutation(perm, net.widths[layer])
    twin = copy.deepcopy(net)
    here, after = twin.as_layers()[layer - 1 : layer + 1]  # they share memory with the network
    here.W.copy_(here.W[order])
    here.b.copy_(here.b[order])
    after.W.copy_(after.W[:, order])
    return twin
