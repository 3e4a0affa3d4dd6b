r"""The descent lemma in expectation: what the noise costs is of second order in the step.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Theorem 41.
"""

import torch
from torch import Tensor

from corollary.claims.optimization._landscapes import Stochastic
from corollary.claims.optimization.sgd_nonconvex_rate import SgdNonconvexRate
from corollary.core import Proof, eq, le, let
from corollary.theory.optimization.stochastic.finite_sums import FiniteSum, squares

K = 2  # steps: all n^K runs are followed, so that expectations are exact


def runs(problem: FiniteSum, x0: Tensor, eta: float) -> list[Tensor]:
    """Where all runs of equal probability are after 0, 1, ..., K steps."""
    points = [x0[None]]
    for _ in range(K):
        x = points[-1]
        points.append((x[:, None] - eta * problem.components(x)).reshape(-1, x.shape[1]))
    return points


def proof(claim: SgdNonconvexRate, given: Stochastic) -> Proof:
    o, sigma = given.problem, given.sigma
    L, eta = o.L, claim.rate(given, K).eta
    points = runs(o, given.x0, eta)
    f = torch.stack([o.value(x).mean() for x in points])
    g2 = torch.stack([o.gradient(x).square().sum(1).mean() for x in points[:-1]])
    single = [o.components(x) for x in points[:-1]]
    second = torch.stack([s.square().sum(-1).mean() for s in single])
    mean = zip(points, single, strict=False)
    along = torch.stack([(o.gradient(x)[:, None] * s).sum(-1).mean() for x, s in mean])
    yield "Over all runs, at each step:"
    yield let(r"\mathbb E f(x_{k+1})", f[1:])
    tex = r"\mathbb E f(x_k) - \eta\,\mathbb E\langle\nabla f,\nabla f_i\rangle"
    more = r" + \tfrac{L\eta^2}2\mathbb E\|\nabla f_i\|^2"
    yield le(tex + more, f[:-1] - eta * along + L * eta**2 / 2 * second, "∇f is L-Lipschitz")
    tex = r"\mathbb E f(x_k) - \eta\,\mathbb E\|\nabla f\|^2"
    yield eq(tex + more, f[:-1] - eta * g2 + L * eta**2 / 2 * second, "∇f_i is unbiased")
    bounded = f[:-1] - eta * g2 + L * eta**2 / 2 * sigma**2
    yield le(tex + r" + \tfrac{L\eta^2}2\sigma^2", bounded, "gradients are bounded by σ")
    yield "Solved for the gradient and averaged over K steps:"
    yield let(r"\min_k\mathbb E\|\nabla f(x_k)\|^2", g2.min())
    yield le(
        r"\tfrac1K\sum_k\mathbb E\|\nabla f(x_k)\|^2", g2.mean(), "the least is below the mean"
    )
    tail = L * eta / 2 * sigma**2
    noise = r" + \tfrac{L\eta}2\sigma^2"
    summed = (f[0] - f[-1]) / (eta * K) + tail
    yield le(r"\tfrac1{\eta K}\mathbb E[f(x_0)-f(x_K)]" + noise, summed, "the chain above")
    delta = f[0] - o.minimum
    yield le(r"\tfrac1{\eta K}(f(x_0)-f^*)" + noise, delta / (eta * K) + tail, "f* is below")
    best = sigma * (2 * delta * L / K) ** 0.5
    yield eq(r"\sigma\sqrt{2(f(x_0)-f^*)L/K}", best, "the step that balances both terms")


def tight() -> list[Stochastic]:
    """Two equal parabolas, steepest at the start; two far apart, whose noise is constant."""
    X = torch.ones(2, 1, dtype=torch.float64)
    equal = squares(X, torch.full_like(X[:, 0], -10.0))
    apart = squares(X, torch.tensor([-100.0, 100.0], dtype=torch.float64))
    return [Stochastic(equal, 10.0, 0 * X[0]), Stochastic(apart, (1e4 + 6) ** 0.5, X[0])]
