r"""What infinitely wide networks learn: kernel regression with the tangent kernel.

With a constant tangent kernel :math:`\Theta`, gradient flow on the squared loss ends at

.. math:: f_\infty(x) = f_0(x) + \Theta(x, X)\Theta^{-1}(y - f_0(X)) .

Over the draws of the initial weights :math:`f_0` is Gaussian with covariance :math:`\Sigma`, the
NNGP kernel, so trained networks are Gaussian too, with mean :math:`Ay`, where
:math:`A = \Theta(x, X)\Theta^{-1}(I - e^{-\Theta t})`, and covariance

.. math:: \Sigma(x, x') + A\Sigma(X, X)A'^\top - A\Sigma(X, x') - \Sigma(x, X)A'^\top .

:source: Perez Jensen (2025), Deep Learning, Section 9; Lucchi (2025), Foundations of Deep Learning,
    Section 7.3, Figure 7.3; Lee et al. (2019), "Wide neural networks of any depth evolve as linear
    models under gradient descent", Equations 14-16.
"""

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from corollary.errors import InputError
from corollary.theory.kernels.infinite import Network, from_module
from corollary.theory.kernels.learning.flow import KernelFlow
from corollary.theory.kernels.learning.solve import cholesky, conjugate_gradients
from corollary.theory.wording import span

LARGEST_RESIDUAL = 1e-2  # part of the targets that may be missed before we refuse
Progress = Callable[[str, float], None]  # what is done, and which part of it


class Trained(NamedTuple):
    """The law of trained networks at new inputs."""

    mean: Float[Tensor, "m *c"]
    covariance: Float[Tensor, "m m"]

    def __repr__(self) -> str:
        spread = self.covariance.diagonal().clamp_min(0).sqrt()
        return (
            f"trained wide networks at {len(self.mean)} inputs: mean {span(self.mean)}, standard "
            f"deviation {span(spread)}"
        )


def wide_ensemble(
    net: Network,
    x: Float[Tensor, "n *d"],
    y: Float[Tensor, "n *c"],
    at: Float[Tensor, "m *d"],
    *,
    t: float = math.inf,
) -> Trained:
    """Mean and covariance over initialisations of infinitely wide networks trained to time t.

    Example:
        >>> from corollary.theory.kernels.infinite import Dense, Relu, network
        >>> net = network(Dense(), Relu(), Dense())
        >>> x = torch.eye(2, dtype=torch.float64)
        >>> law = wide_ensemble(net, x, torch.ones(2, dtype=torch.float64), x)
        >>> law.mean.round(decimals=9).tolist(), bool(law.covariance.abs().max() < 1e-12)
        ([1.0, 1.0], True)

    :covers: ntk-ensemble-figure
    """
    _check_problem(x, y, at, None)
    train, cross, own = net.kernel(x), net.kernel(at, x), net.nngp(at)
    identity = torch.eye(len(x), dtype=x.dtype, device=x.device)
    weights = KernelFlow(train.of("ntk"), identity).at(cross.of("ntk"), t)  # A
    mixed = weights @ cross.nngp.T
    return Trained(weights @ y, own + weights @ train.nngp @ weights.T - mixed - mixed.T)


class Regression(NamedTuple):
    """Predictions of kernel regression, and how the system was solved."""

    prediction: Float[Tensor, "m *c"]
    alpha: Float[Tensor, "n *c"]
    residual: float  # relative part of the targets that is missed; 0 without jitter
    jitter: float  # what a factorisation needed on the diagonal

    def __repr__(self) -> str:
        return (
            f"kernel regression from {len(self.alpha)} to {len(self.prediction)} inputs: "
            "predictions "
            f"{span(self.prediction)}; relative residual {self.residual:.2g}, jitter "
            f"{self.jitter:.2g}"
        )


def ntk_regress(
    net: Network | nn.Module,
    x: Float[Tensor, "n *d"],
    y: Float[Tensor, "rows *c"],
    at: Float[Tensor, "m *e"],
    *,
    f0: Float[Tensor, "rows *c"] | None = None,
    f0_at: Float[Tensor, "m *c"] | float = 0.0,
    ridge: float = 0.0,
    which: Literal["ntk", "nngp"] = "ntk",
    solver: Literal["cholesky", "cg"] = "cholesky",
    tolerance: float = 1e-4,
    progress: Progress | None = None,
) -> Regression:
    r"""Train an infinitely wide network: regression with its kernel, in blocks.

    Memory: one n x n matrix in the dtype of x (two for ``cholesky``), and blocks of new inputs.
    Time: the kernel, then :math:`n^3/3` (``cholesky``) or n² a step (``cg``). Ten thousand images
    of MNIST take half a minute of two cores, with ``core.progress.progress_bar``::

        x, y = mnist("train")
        targets = torch.nn.functional.one_hot(y[:10_000]).float() - 0.1
        with progress_bar(1.0) as progress:
            found = ntk_regress(
                net, x[:10_000].flatten(1), targets, mnist("test")[0].flatten(1),
                ridge=0.1, progress=progress,
            )
        classes = found.prediction.argmax(1)  # 96.6 % of them right with two hidden layers

    Args:
        net: The architecture, or a module to read it from.
        x: Training inputs.
        y: Targets.
        at: Inputs to predict at.
        f0: Outputs at the start at x, for one network; None stands for the mean over networks, or
            for a network whose output starts at zero.
        f0_at: The same at the new inputs.
        ridge: Added to the kernel's diagonal.
        which: ``nngp`` trains the last layer only.
        solver: ``cholesky`` is exact, and quicker while two matrices fit into memory; ``cg``
            needs one.
        tolerance: Relative residual of ``cg``.
        progress: Told what is going on and how much of it is done.

    Example:
        >>> from corollary.theory.kernels.infinite import Dense, Relu, network
        >>> net = network(Dense(), Relu(), Dense())
        >>> x, y = torch.eye(2, dtype=torch.float64), torch.tensor([1.0, -1.0]).double()
        >>> ntk_regress(net, x, y, x).prediction.round(decimals=9).tolist()
        [1.0, -1.0]

    :covers: ntk-kernel-regression-solution
    :test: tests/theory/kernels/learning/test_solve.py
    :erratum: [wrong] The notes print k(x)ᵀK⁻¹(y - f) without the initial value f_0(x) although the
        residual is taken against it; as printed it interpolates only networks with f_0 = 0.
    """
    if not isinstance(net, Network):
        net = from_module(net)
    _check_problem(x, y, at, f0)
    if not (ridge >= 0 and 0 < tolerance < 1 and solver in ("cholesky", "cg")):
        raise InputError(
            "the ridge must be at least 0, the tolerance in (0, 1) and the solver cholesky "
            f"or cg, got ridge={ridge}, tolerance={tolerance}, solver={solver}"
        )
    tell = progress or (lambda what, part: None)
    rest = (y if f0 is None else y - f0).to(x.dtype)
    k = _matrix(net, x, which, tell)
    if solver == "cholesky":
        tell("factorise", 0.0)
        factor = cholesky(k, ridge=ridge, overwrite=True)
        alpha, jitter = factor.solve(rest), factor.jitter
        # Kα = y - jitter α: what is missing of the targets is known without K.
        residual = jitter * float(alpha.norm()) / max(float(rest.norm()), 1e-300)
        if residual > LARGEST_RESIDUAL:
            raise InputError(
                f"K of {len(x)} inputs is singular and cannot give these targets (the "
                f"relative residual is {residual:.2g}); the same input occurs with different "
                "targets; pass a ridge"
            )
        tell("factorise", 1.0)
    else:
        start = math.log(1 / tolerance)

        def on_step(step: int, now: float) -> None:
            tell("solve", min(1.0, max(0.0, -math.log(max(now, 1e-30)) / start)))

        found = conjugate_gradients(
            k, rest, ridge=ridge, tolerance=tolerance, diagonal=k.diagonal(), progress=on_step
        )
        if not found.residual <= LARGEST_RESIDUAL:
            raise InputError(
                f"after {found.steps} steps of conjugate gradients the relative residual is "
                f"{found.residual:.2g}; K of {len(x)} inputs is singular or nearly singular; "
                "pass a ridge"
            )
        alpha, residual, jitter = found.solution, found.residual, 0.0
    del k
    return Regression(f0_at + _predict(net, x, at, alpha, which, tell), alpha, residual, jitter)


def _check_problem(x: Tensor, y: Tensor, at: Tensor, f0: Tensor | None) -> None:
    """Inputs, targets and new inputs that go together."""
    if len(x) != len(y):
        raise InputError(f"expected one target per input, got {len(y)} targets for {len(x)} inputs")
    for what, count in (("training", len(x)), ("new", len(at))):
        if count == 0:
            raise InputError(f"kernel regression needs at least one {what} input, got none")
    if x.shape[1:] != at.shape[1:] or x.dtype != at.dtype:
        raise InputError(
            "training inputs and new inputs must have the same shape and dtype, got "
            f"{tuple(x.shape[1:])} {x.dtype} and {tuple(at.shape[1:])} {at.dtype}"
        )
    if f0 is not None and f0.shape != y.shape:
        raise InputError(
            f"f0 must have the shape of the targets, {tuple(y.shape)}, got {tuple(f0.shape)}"
        )
    if not bool(torch.isfinite(y).all()):
        raise InputError("targets have entries that are not finite; remove those rows")


def _matrix(net: Network, x: Tensor, which: str, tell: Progress) -> Tensor:
    """The kernel of the training inputs, a block at a time."""
    n, done = len(x), 0
    k = x.new_empty(n, n)
    for tile in net.tiles(x, ntk=which == "ntk"):
        block = tile.block
        k[tile.rows, tile.cols] = block
        first = tile.mirrored(True)
        if first < block.shape[1]:
            k[tile.cols.start + first : tile.cols.stop, tile.rows] = block[:, first:].T
        done += block.numel()
        tell("kernel", min(1.0, 2 * done / (n * (n + 1))))
    return k


def _predict(
    net: Network, x: Tensor, at: Tensor, alpha: Tensor, which: str, tell: Progress
) -> Tensor:
    out = alpha.new_zeros(len(at), *alpha.shape[1:])
    done = 0
    for tile in net.tiles(at, x, ntk=which == "ntk"):
        block = tile.block
        out[tile.rows] += block @ alpha[tile.cols]
        done += block.numel()
        tell("predict", done / (len(at) * len(x)))
    return out
