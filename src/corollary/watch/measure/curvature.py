r"""The largest curvature of the loss during training, compared with the limit of the optimizer.

The curvature is measured on the graph of the user's own pass, just before its backward pass. The
gradient is computed with its own graph, and products with the Hessian are gradients of that. No
further forward pass is made, so random masks and batch statistics are those of the step, no random
numbers are drawn and no buffer changes. A few steps of Lanczos, started from the vector of the last
reading, follow the top of :math:`D^{1/2}HD^{1/2}` (:mod:`corollary.theory.optimization.stability`);
its largest Ritz value is a lower bound, and the residual says how far above the eigenvalue next to
it may lie.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor
from torch.optim import Optimizer

from corollary.core.measurement import Reading
from corollary.errors import NotApplicableError
from corollary.theory.landscape.curvature.operator import Curvature
from corollary.theory.optimization.stability import Preconditioned, reach, stability_scale


class GraphHessian(Curvature):
    """Products with the Hessian of a scalar whose graph exists and is kept."""

    path = "double backward on the step's own graph"

    def __init__(self, root: Tensor, parameters: Sequence[Tensor]) -> None:
        self.parameters = list(parameters)
        self.size = sum(p.numel() for p in self.parameters)
        self.dtype, self.device = torch.float32, self.parameters[0].device
        for p in self.parameters:
            self.dtype = torch.promote_types(self.dtype, p.dtype)
        with torch.enable_grad():
            slopes = torch.autograd.grad(
                root, self.parameters, create_graph=True, retain_graph=True, allow_unused=True
            )
        self.slopes = [g for g in slopes if g is not None and g.requires_grad]
        self.places = [i for i, g in enumerate(slopes) if g is not None and g.requires_grad]

    def _product(self, v: Tensor) -> Tensor:
        parts = v.split([p.numel() for p in self.parameters])
        along = [
            parts[i].view_as(self.parameters[i]).to(g)
            for i, g in zip(self.places, self.slopes, strict=True)
        ]
        rows = torch.autograd.grad(
            self.slopes, self.parameters, along, retain_graph=True, allow_unused=True
        )
        flat = [
            torch.zeros_like(p).reshape(-1) if r is None else r.detach().reshape(-1)
            for r, p in zip(rows, self.parameters, strict=True)
        ]
        return torch.cat([f.to(self.dtype) for f in flat])


@dataclass(frozen=True)
class Stability:
    """One reading: how much of its limit the optimizer uses, and the curvature behind it."""

    ratio: Reading  # 1 is the edge of stability
    curvature: Reading | None  # of the (preconditioned) loss, where all groups share a rate
    threshold: float | None  # what the optimizer bears, where all groups share a rate
    products: int


class CurvatureReader:
    """Follows the top eigenvector from reading to reading.

    Args:
        products: The number of products with the Hessian per reading.
        seed: The seed of the first start vector.
    """

    def __init__(self, products: int = 3, seed: int = 0) -> None:
        self.products = products
        self.rng = torch.Generator().manual_seed(seed)
        self.top: Tensor | None = None

    def read(
        self,
        root: Tensor,
        optimizer: Optimizer,
        parameters: Sequence[Tensor],
        hessian: Callable[[], Curvature] | None = None,
    ) -> Stability:
        """Measure now, on the graph of ``root`` or with the Hessian that is given.

        Raises:
            NotApplicableError: for an optimizer whose limit is not known.
        """
        reach(optimizer)  # refuses optimizers whose limit is not known
        D, penalty = stability_scale(optimizer, parameters)
        first = self.top is None or len(self.top) != len(D)
        H = GraphHessian(root, parameters) if hessian is None else hessian()
        A = Preconditioned(H, D, penalty)
        start = A.random(rng=self.rng) * A.root if first else self.top
        assert start is not None
        value, residual, self.top = top_ritz(
            A, start, 2 * self.products if first else self.products
        )
        if not math.isfinite(value):
            self.top = None
            raise NotApplicableError("a product with the Hessian is not finite")
        ratio = Reading(value, value, value + residual)
        limit = _threshold(optimizer)
        if limit is None:
            return Stability(ratio, None, None, A.products)
        scaled = Reading(value * limit, value * limit, (value + residual) * limit)
        return Stability(ratio, scaled, limit, A.products)


def top_ritz(
    A: Curvature, start: Float[Tensor, " p"], products: int
) -> tuple[float, float, Float[Tensor, " p"]]:
    """The largest Ritz value of a few Lanczos steps, its residual, and its vector.

    Example:
        >>> from corollary.theory.landscape.curvature import Explicit
        >>> A = Explicit(torch.diag(torch.tensor([1.0, 5.0])))
        >>> value, residual, v = top_ritz(A, torch.ones(2), 2)
        >>> round(value, 4), round(residual, 4), round(abs(float(v[1])), 4)
        (5.0, 0.0, 1.0)
    """
    Q = [start / start.norm()]
    alpha: list[float] = []
    beta: list[float] = []
    for _ in range(products):
        w = A.product(Q[-1])
        alpha.append(float(w @ Q[-1]))
        for q in Q:  # full reorthogonalisation: there are few
            w = w - (w @ q) * q
        beta.append(float(w.norm()))
        if not beta[-1] > 1e-6 * max(map(abs, alpha)):  # invariant in single precision
            break
        Q.append(w / beta[-1])
    m = len(alpha)
    if not all(map(math.isfinite, alpha + beta)):
        return math.nan, math.nan, Q[0]
    T = torch.diag(torch.tensor(alpha, dtype=torch.float64))
    for i in range(m - 1):
        T[i, i + 1] = T[i + 1, i] = beta[i]
    values, s = torch.linalg.eigh(T)
    vector = torch.stack(Q[:m]).T @ s[:, -1].to(Q[0])
    return float(values[-1]), abs(beta[-1] * float(s[-1, -1])), vector / vector.norm()


def _threshold(optimizer: Optimizer) -> float | None:
    """The curvature limit of the method, if all groups have one learning rate and one momentum."""
    limits = {
        reach(optimizer, group) / float(group["lr"])
        for group in optimizer.param_groups
        if float(group["lr"]) > 0
    }
    return limits.pop() if len(limits) == 1 else None
