r"""One hidden layer with weights of our choice: a superposition of units.

.. math:: G(x)=\sum_{i=1}^m a_i\,\sigma(w_i\cdot x+b_i)

All weights are parameters, so a network that was written down or fitted here can also be trained.
"""

import math
from collections.abc import Callable, Sequence

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.theory.approximation.grids import box_grid

Scalar = Callable[[Tensor], Tensor]
RIDGE = 1e-12  # singular values below this part of the largest are noise to a fit


class Superposition(nn.Module):
    """``d -> m -> 1`` with inner weights ``w``, biases ``b`` and outer weights ``a``.

    Example:
        >>> w, b, a = torch.tensor([[1.0], [-1.0]]), torch.zeros(2), torch.ones(2)
        >>> Superposition(torch.relu, w, b, a)(torch.tensor([[-3.0], [2.0]])).tolist()  # |x|
        [3.0, 2.0]
    """

    def __init__(
        self,
        sigma: Scalar,
        w: Float[Tensor, "m d"],
        b: Float[Tensor, " m"],
        a: Float[Tensor, " m"],
    ) -> None:
        super().__init__()
        if w.numel() == 0:
            raise InputError(f"a network needs inputs and units, but w is {tuple(w.shape)}")
        self.sigma = sigma
        self.w = nn.Parameter(w.detach().clone())
        self.b = nn.Parameter(b.detach().clone())
        self.a = nn.Parameter(a.detach().clone())

    def forward(self, x: Float[Tensor, "n d"]) -> Float[Tensor, " n"]:
        """The value at each point."""
        return self.hidden(x) @ self.a

    def hidden(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n m"]:
        """The values of the units at each point."""
        return self.sigma(torch.addmm(self.b, x, self.w.T))

    @property
    def units(self) -> int:
        """Number of hidden units."""
        return len(self.a)


def joined(networks: Sequence[Superposition], weights: Sequence[float]) -> Superposition:
    """The weighted sum of networks with one activation, as one network; units add up.

    Example:
        >>> one = torch.ones(1)
        >>> net = Superposition(torch.relu, torch.ones(1, 1), one, one)
        >>> both = joined([net, net], [1.0, 2.0])
        >>> both.units, both(torch.tensor([[4.0]])).item()
        (2, 15.0)
    """
    if not networks or len(networks) != len(weights):
        raise InputError(
            f"a sum needs one weight per network, got {len(networks)} networks and "
            f"{len(weights)} weights"
        )
    if any(net.sigma is not networks[0].sigma for net in networks):
        raise InputError("only networks with the same activation can be joined into one layer")
    w = torch.cat([net.w for net in networks])
    b = torch.cat([net.b for net in networks])
    a = torch.cat([c * net.a for net, c in zip(networks, weights, strict=True)])
    return Superposition(networks[0].sigma, w, b, a)


def random_units(
    m: int,
    d: int,
    scale: float,
    *,
    low: float = 0.0,
    high: float = 1.0,
    rng: Generator,
    dtype: torch.dtype = torch.float64,
) -> tuple[Float[Tensor, "m d"], Float[Tensor, " m"]]:
    r"""Inner weights and biases of units that bend somewhere in the box :math:`[low, high]^d`.

    The direction of :math:`w_i` is uniform on the sphere, its length uniform between 0 and
    ``scale``; the hyperplane :math:`w_i\cdot x+b_i=0` goes through a uniform point of the box.
    """
    if m < 1 or d < 1 or not 0 < scale < math.inf or not low < high:
        raise InputError(
            f"random units need m, d >= 1, a positive scale and low < high, got m={m}, d={d}, "
            f"scale={scale:g}, low={low:g}, high={high:g}"
        )
    w = torch.randn(m, d, generator=rng, device=rng.device, dtype=dtype)
    length = scale * torch.rand(m, 1, generator=rng, device=rng.device, dtype=dtype)
    w = length * w / w.norm(dim=1, keepdim=True)
    centre = torch.rand(m, d, generator=rng, device=rng.device, dtype=dtype)
    return w, -(w * (low + (high - low) * centre)).sum(1)


def fit_outer(
    sigma: Scalar,
    w: Float[Tensor, "m d"],
    b: Float[Tensor, " m"],
    x: Float[Tensor, "n d"],
    y: Float[Tensor, " n"],
) -> Superposition:
    r"""The network with these units whose outer weights fit ``y`` best in the squared error.

    By a singular value decomposition, :math:`O(nm\min(n,m))`; directions below 1e-12 of the
    largest are dropped, so that units which nearly coincide do no harm.

    Example:
        >>> x = torch.linspace(-1, 1, 9, dtype=torch.float64)[:, None]
        >>> w, b = x.new_tensor([[1.0], [-1.0]]), x.new_zeros(2)
        >>> [round(v, 12) for v in fit_outer(torch.relu, w, b, x, x[:, 0].abs()).a.tolist()]
        [1.0, 1.0]
    """
    if x.ndim != 2 or y.shape != x.shape[:1]:
        raise InputError(f"expected x (n, d) and y (n,), got {(*x.shape,)} and {(*y.shape,)}")
    features = sigma(x @ w.T + b)
    if not bool(torch.isfinite(features).all()):
        raise InputError("the activation is NaN or infinite on these points; use smaller weights")
    a = torch.linalg.lstsq(features, y[:, None], rcond=RIDGE, driver="gelsd").solution[:, 0]
    return Superposition(sigma, w, b, a)


def fit_superposition(
    f: Callable[[Tensor], Tensor],
    sigma: Scalar,
    m: int,
    *,
    d: int = 1,
    scale: float = 10.0,
    low: float = 0.0,
    high: float = 1.0,
    points: int = 2000,
    rng: Generator,
) -> Superposition:
    r"""A network of ``m`` random units fitted to ``f`` on the box :math:`[low, high]^d`.

    The outer weights are fitted at a grid (one and two dimensions) or at random points. To train
    the inner weights too, hand the network to :func:`corollary.train.fit`.

    Example:
        >>> rng = torch.Generator().manual_seed(0)
        >>> net = fit_superposition(lambda x: x[:, 0] ** 2, torch.tanh, 50, rng=rng)
        >>> x = torch.linspace(0, 1, 101, dtype=torch.float64)[:, None]
        >>> bool((net(x) - x[:, 0] ** 2).abs().max() < 1e-6)
        True
    """
    w, b = random_units(m, d, scale, low=low, high=high, rng=rng)
    if d <= 2:
        x = box_grid(d, round(points ** (1 / d)), low, high)
    else:
        x = low + (high - low) * torch.rand(points, d, generator=rng, dtype=w.dtype)
    return fit_outer(sigma, w, b, x, f(x))
