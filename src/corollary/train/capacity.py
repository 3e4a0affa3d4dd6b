r"""Training and test risk against the number of parameters.

Three families of models are fitted to the same kind of data, :math:`y=g(x)+\epsilon`:

* ``linear``: the first p coordinates of a normal vector in d dimensions, g linear in all of them;
* ``rf``: p random ReLU features of a vector in d dimensions, g linear;
* ``mlp``: all weights of a network with one hidden layer of tanh units, g a sine of a projection.

The first two take the shortest least-squares solution (or a ridge); the network is trained from a
normal start by L-BFGS, since plain descent takes very long at the interpolation threshold. Its
training risk is zero beyond the threshold too, but its peak is broad and differs much from draw to
draw: what the minimum is that descent finds, no closed form says.

:source: Lucchi (2025), Foundations of Deep Learning, Section 13.1, Figure 13.1; Belkin, Hsu, Ma and
    Mandal (2019), "Reconciling modern machine-learning practice and the classical bias-variance
    trade-off".
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Generator, Tensor
from torch.nn.functional import mse_loss

from corollary.errors import InputError
from corollary.models.mlp import MLP
from corollary.theory.double_descent.bias_variance import min_norm, ridge_estimate
from corollary.train.trainer import fit
from corollary.train.weight_decay import L2Penalty

Family = Literal["linear", "rf", "mlp"]


@dataclass(frozen=True)
class CapacityCurve:
    """Risks by the number of parameters, one column a draw of the data."""

    parameters: tuple[int, ...]
    train: Tensor  # (sizes, draws), mean squared error on the training points
    test: Tensor  # (sizes, draws), on new points with new noise

    @property
    def peak(self) -> int:
        """Index of the size with the largest median test risk."""
        return int(self.test.median(dim=1).values.argmax())


def capacity_curve(
    family: Family,
    sizes: Sequence[int],
    *,
    n: int = 40,
    d: int = 10,
    noise: float = 0.3,
    ridge: float = 0.0,
    draws: int = 20,
    tested: int = 200,
    steps: int = 60,
    rng: Generator,
) -> CapacityCurve:
    """Fit each size to ``draws`` training sets of ``n`` points.

    Args:
        family: ``linear``, ``rf`` or ``mlp``.
        sizes: Features, or hidden units of the network (which has (d + 2) m + 1 parameters).
        n: Training points.
        d: Input dimension.
        noise: Standard deviation of the noise.
        ridge: Penalty on the squared length of all weights.
        draws: Training sets.
        tested: Test points of each draw.
        steps: Steps of L-BFGS (20 evaluations each) for ``mlp``.
        rng: Source of randomness.

    Example:
        >>> rng = torch.Generator().manual_seed(0)
        >>> curve = capacity_curve("rf", [10, 40, 200], n=40, rng=rng)
        >>> curve.parameters[curve.peak], bool(curve.train[1:].max() < 1e-12)
        (40, True)
    """
    if family not in ("linear", "rf", "mlp"):
        raise InputError(f"the family must be linear, rf or mlp, got {family!r}")
    if family == "linear" and max(sizes) > d:
        raise InputError(f"expected at most d = {d} features, got {max(sizes)}")
    risks = []
    for size in sizes:
        x = _normal(draws, n + tested, d, rng=rng)
        w = _normal(draws, d, 1, rng=rng) / d**0.5
        signal = (x @ w)[..., 0] if family != "mlp" else torch.sin(d**0.5 * (x @ w)[..., 0])
        y = signal + noise * _normal(draws, n + tested, rng=rng)
        if family == "mlp":
            out = torch.stack(
                [_network(a, b, n, size, steps, ridge, rng) for a, b in zip(x, y, strict=True)]
            )
        else:
            out = _linear(_features(family, x, size, rng), y, n, ridge)
        risks.append((out - y).square())
    train = torch.stack([r[:, :n].mean(dim=1) for r in risks])
    test = torch.stack([r[:, n:].mean(dim=1) for r in risks])
    count = [(d + 2) * m + 1 for m in sizes] if family == "mlp" else sizes
    return CapacityCurve(tuple(count), train, test)


def _features(family: str, x: Tensor, p: int, rng: Generator) -> Tensor:
    if family == "linear":
        return x[..., :p]
    frozen = _normal(len(x), p, x.shape[-1], rng=rng)
    scale: float = p**0.5
    return (x @ frozen.mT).relu() / scale


def _linear(phi: Tensor, y: Tensor, n: int, ridge: float) -> Tensor:
    seen = phi[:, :n], y[:, :n]
    w = ridge_estimate(*seen, ridge) if ridge else min_norm(*seen)
    return (phi @ w[..., None])[..., 0]


def _network(
    x: Tensor, y: Tensor, n: int, m: int, steps: int, ridge: float, rng: Generator
) -> Tensor:
    net = MLP([x.shape[1], m, 1], "tanh", rng=rng)

    def optimizer(parameters: Iterable[Tensor]) -> torch.optim.Optimizer:
        return torch.optim.LBFGS(
            parameters, max_iter=20, history_size=20, line_search_fn="strong_wolfe"
        )

    data = (x[:n], y[:n, None])
    fit(net, data, mse_loss, optimizer, steps=steps, call=L2Penalty(2 * ridge))
    with torch.no_grad():
        out: Tensor = net(x)
    return out[:, 0]


def _normal(*shape: int, rng: Generator) -> Tensor:
    return torch.randn(shape, generator=rng, device=rng.device, dtype=torch.float64)
