r"""Stochastic gradient descent, many runs at once.

.. math:: x_k=x_{k-1}-\eta_k\hat g_k,\qquad
   \hat g_k=\frac1m\sum_{i\in B_k}\nabla f_i(x_{k-1}),\qquad k=1,2,\dots

with a batch :math:`B_k` of m indices, drawn afresh in each step. Beside the iterates the run keeps
their mean, by the recursion :math:`\bar x_{k+1}=\frac k{k+1}\bar x_k+\frac1{k+1}x_{k+1}` of Polyak
and Ruppert.

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.7; Perez Jensen (2025), Deep
    Learning, Section 3.4; Mathematical Foundations of Deep Learning (slides), Algorithm 8.1;
    Polyak and Juditsky (1992), "Acceleration of stochastic approximation by averaging".
"""

import operator
from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.optimization.stochastic.finite_sums import FiniteSum
from corollary.theory.optimization.stochastic.schedules import Schedule, constant
from corollary.theory.prerequisites.wellformed import check_finite, check_positive


class Runs(NamedTuple):
    """Several runs of SGD at the steps that were kept; step 0 is the start."""

    steps: tuple[int, ...]
    x: Float[Tensor, "k r d"]
    mean: Float[Tensor, "k r d"]  # of the iterates after the burn-in; of the start before them


def draw_batches(
    n: int, batch: int, runs: int, *, replacement: bool = True, rng: Generator
) -> Int[Tensor, "runs batch"]:
    """Uniform indices below n for each run; all of them in order if there is no choice.

    Example:
        >>> rng = torch.Generator().manual_seed(0)
        >>> draw_batches(3, 3, 1, replacement=False, rng=rng).tolist()
        [[0, 1, 2]]
    """
    if batch < 1 or (not replacement and batch > n):
        limit = "" if replacement else f" and at most n = {n} without replacement"
        raise InputError(f"batch must be at least 1{limit}, got {batch}")
    if replacement or batch == 1:
        return torch.randint(n, (runs, batch), generator=rng, device=rng.device)
    if batch == n:  # the order of a sum would only change its rounding
        return torch.arange(n, device=rng.device).expand(runs, n)
    return torch.rand(runs, n, generator=rng, device=rng.device).topk(batch, dim=1).indices


def sgd(
    problem: FiniteSum,
    x0: Float[Tensor, "r d"],
    schedule: Schedule | float,
    steps: int,
    *,
    batch: int = 1,
    replacement: bool = True,
    burn_in: int = 0,
    keep: Sequence[int] | None = None,
    tol: float | None = None,
    rng: Generator,
) -> Runs:
    """Run SGD from each row of ``x0``.

    Args:
        problem: The mean of functions.
        x0: One start a run.
        schedule: The step size, or a function from the step 1, 2, ... to it.
        steps: How many at most.
        batch: Indices in a step.
        replacement: Whether an index may come twice in a batch.
        burn_in: Iterates left out of the mean (tail averaging).
        keep: Steps to record; all without it. Memory is kept steps times runs times d.
        tol: Stop at the first kept step where no run's full gradient is longer.
        rng: Where the batches come from.

    Example:
        >>> from corollary.theory.optimization.stochastic.finite_sums import squares
        >>> o = squares(torch.ones(2, 1).double(), torch.tensor([0.0, 2.0]).double())
        >>> rng = torch.Generator().manual_seed(0)
        >>> runs = sgd(o, torch.zeros(3, 1).double(), 0.5, 2, batch=2, replacement=False, rng=rng)
        >>> runs.x[:, 0, 0].tolist()  # a full batch: gradient descent
        [0.0, 0.5, 0.75]

    :covers: stochastic-gradient-descent, polyak-ruppert
    """
    check_finite("x0", x0)
    if not (steps >= 1 and burn_in >= 0):
        raise InputError(
            f"expected steps >= 1 and burn_in >= 0, got steps={steps}, burn_in={burn_in}"
        )
    eta = schedule if callable(schedule) else constant(float(schedule))
    kept = set(range(steps + 1)) if keep is None else set(map(operator.index, keep))
    x, mean, at, xs, means = x0, x0, [], [], []
    for k in range(steps + 1):
        if k > 0:
            check_positive(f"the step size of step {k}", eta(k))
            i = draw_batches(problem.n, batch, len(x), replacement=replacement, rng=rng)
            x = x - eta(k) * problem.batch_gradient(x, i)
            mean = running_mean(mean, x, k - burn_in) if k > burn_in else x
        if k in kept:
            at.append(k)
            xs.append(x)
            means.append(mean)
            if tol is not None and float(problem.gradient(x).norm(dim=-1).max()) <= tol:
                break
    if not at:
        raise InputError(f"keep must name a step from 0 to {steps}, got {sorted(kept)}")
    return Runs(tuple(at), torch.stack(xs), torch.stack(means))


def running_mean(mean: Float[Tensor, "*s"], x: Float[Tensor, "*s"], k: int) -> Float[Tensor, "*s"]:
    r"""The mean of k points from that of the first k - 1 and the last one.

    Example:
        >>> running_mean(torch.tensor(1.0), torch.tensor(4.0), 3).item()  # 1, 1 and 4
        2.0
    """
    return mean + (x - mean) / k


def random_iterate(
    history: Float[Tensor, "k r *s"], *, rng: Generator
) -> tuple[Int[Tensor, " r"], Float[Tensor, "r *s"]]:
    r"""For each run the number I, uniform on 0, ..., K - 1, and its entry of ``history``.

    .. math:: \mathbb E\|\nabla f(x_I)\|^2=\frac1K\sum_{k=0}^{K-1}\mathbb E\|\nabla f(x_k)\|^2 .

    Example:
        >>> history = torch.tensor([[1.0, 2.0]])  # one step, two runs
        >>> random_iterate(history, rng=torch.Generator().manual_seed(0))[1].tolist()
        [1.0, 2.0]

    :covers: sgd-random-iterate
    """
    K, runs = history.shape[:2]
    I = torch.randint(K, (runs,), generator=rng, device=rng.device)
    return I, history[I, torch.arange(runs, device=rng.device)]
