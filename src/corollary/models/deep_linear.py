r"""Deep linear networks, with squared error and with cross-entropy.

.. math:: a^l=W^la^{l-1},\quad a^0=x,\qquad \delta^l=(W^{l+1})^\top\delta^{l+1},\qquad
    \frac{\partial\ell}{\partial W^l}=\delta^l(a^{l-1})^\top,

with :math:`\delta^L=\hat y-y` for :math:`\frac12\|y-\hat y\|^2` and :math:`\delta^L=p-y`,
:math:`p=\operatorname{softmax}(a^L)`, for :math:`-\sum_iy_i\log p_i`.

:source: Lucchi (2025), Foundations of Deep Learning, Sections 6.1.1, 6.2.2 and 6.3, Figure 6.2.
"""

from collections.abc import Sequence
from functools import partial

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.theory.landscape.deep_linear import backpropagated, layer_gradients
from corollary.theory.landscape.two_layer_linear import Gradients, two_layer_gradients
from corollary.theory.seeding import as_generator


class LinearChain(nn.Module):
    """``x -> W_L ... W_1 x``; weights start normal with variance ``gain / fan-in``.

    Args:
        widths: Numbers that come in, hidden widths, numbers that go out.
        gain: Variance of the weights times the fan-in; 1 keeps the length of signals on average.
        rng: Draws them.
        dtype: Of the parameters.
    """

    def __init__(
        self,
        widths: Sequence[int],
        *,
        gain: float = 1.0,
        rng: int | Generator = 0,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        rng = as_generator(rng)
        if len(widths) < 2 or min(widths) < 1:
            raise InputError(f"expected two positive widths or more, got {tuple(widths)}")
        self.widths = tuple(widths)
        normal = partial(torch.randn, generator=rng, device=rng.device, dtype=dtype)
        pairs = zip(self.widths, self.widths[1:], strict=False)
        layers = [(gain / a) ** 0.5 * normal(b, a) for a, b in pairs]
        self.weights = nn.ParameterList([nn.Parameter(W) for W in layers])

    def forward(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n k"]:
        """The outputs, one row per point."""
        if x.shape[-1] != self.widths[0]:
            raise InputError(
                f"expected points with {self.widths[0]} features, got shape {tuple(x.shape)}"
            )
        for W in self.weights:
            x = x @ W.T
        return x


class DeepLinear(LinearChain):
    """A deep linear network with half the squared error.

    Example:
        >>> model = DeepLinear((2, 3, 1), rng=torch.Generator().manual_seed(0))
        >>> model(torch.zeros(5, 2, dtype=torch.float64)).shape
        torch.Size([5, 1])

    :covers: deep-linear-network
    """

    def loss(self, x: Float[Tensor, "n d"], y: Float[Tensor, "n k"]) -> Float[Tensor, ""]:
        """Half the sum of squared errors."""
        error: Tensor = self(x) - y
        return 0.5 * error.square().sum()

    def analytic_gradients(
        self, x: Float[Tensor, "n d"], y: Float[Tensor, "n k"]
    ) -> list[Float[Tensor, "_ _"]]:
        """Gradients of :meth:`loss` in every layer, by formula."""
        return layer_gradients([W.detach() for W in self.weights], x.T, y.T)


class TwoLayerLinear(LinearChain):
    r"""``x -> A B x`` with gradients from the correlations :math:`S_{yx}` and :math:`S_{xx}` alone.

    Example:
        >>> model = TwoLayerLinear(2, 3, 1, rng=torch.Generator().manual_seed(0))
        >>> model.A.shape, model.B.shape
        (torch.Size([1, 3]), torch.Size([3, 2]))

    :covers: two-layer-linear-gradients
    """

    def __init__(
        self,
        d: int,
        m: int,
        k: int,
        *,
        rng: int | Generator = 0,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        rng = as_generator(rng)
        super().__init__((d, m, k), rng=rng, dtype=dtype)

    @property
    def A(self) -> Tensor:
        """The second layer."""
        A: Tensor = self.weights[1]
        return A

    @property
    def B(self) -> Tensor:
        """The first layer."""
        B: Tensor = self.weights[0]
        return B

    def loss(self, x: Float[Tensor, "n d"], y: Float[Tensor, "n k"]) -> Float[Tensor, ""]:
        """Half the sum of squared errors."""
        error: Tensor = self(x) - y
        return 0.5 * error.square().sum()

    def analytic_gradients(
        self, S_yx: Float[Tensor, "k d"], S_xx: Float[Tensor, "d d"]
    ) -> Gradients:
        """Gradients of :meth:`loss` in A and B for data with these correlations."""
        return two_layer_gradients(self.A.detach(), self.B.detach(), S_yx, S_xx)


class DeepLinearClassifier(LinearChain):
    r"""A deep linear network whose outputs are logits, with cross-entropy.

    As :math:`\|p-y\|\le\sqrt2`, :math:`\|\partial\ell/\partial W^l\|_F\le\sqrt2\,\|W^{L:l+1}\|\,
    \|a^{l-1}\|` for one example.

    Example:
        >>> model = DeepLinearClassifier((2, 2), rng=torch.Generator().manual_seed(0))
        >>> with torch.no_grad():
        ...     _ = model.weights[0].zero_()
        >>> x, y = torch.tensor([[1.0, 0.0]]).double(), torch.tensor([[1.0, 0.0]]).double()
        >>> model.analytic_gradients(x, y)[0].tolist()  # p - y = (-1/2, 1/2)
        [[-0.5, -0.0], [0.5, 0.0]]

    :covers: cross-entropy-deep-linear
    :erratum: [notation] The forward product is written prod_{k=1}^{l-1} W^k x; by the order of the
        backward product that is W^1 ... W^{l-1} x, meant is W^{l-1} ... W^1 x. L is the loss
        and the depth. Corollary 49 does not apply to W^{l+1:L} (p - y), as p depends on the
        weights; bound the Frobenius norm of the product instead, at the price of a factor d.
    """

    def loss(self, x: Float[Tensor, "n d"], y: Float[Tensor, "n k"]) -> Float[Tensor, ""]:
        """Cross-entropy with probability vectors ``y``, summed over the points."""
        logits: Tensor = self(x)
        return -(y * logits.log_softmax(dim=1)).sum()

    def analytic_gradients(
        self, x: Float[Tensor, "n d"], y: Float[Tensor, "n k"]
    ) -> list[Float[Tensor, "_ _"]]:
        """Gradients of :meth:`loss` in every layer, by the recursion of the deltas."""
        with torch.no_grad():
            p = self(x).softmax(dim=1)
        delta = p * y.sum(dim=1, keepdim=True) - y  # p - y for probability vectors
        return backpropagated([W.detach() for W in self.weights], x.T, delta.T)
