"""The error of a randomised network on a sample, from independent draws of weights."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.func import vmap

from corollary.errors import InputError
from corollary.theory.generalization.divergence import kl_inverse
from corollary.train.noise import global_generators, keyed
from corollary.train.pac_bayes.holdout import errors
from corollary.train.pac_bayes.posterior import GaussianPosterior

OWN_DRAWS, SHARED_DRAWS = 100_000, 4000  # default effort: examples with own weights, and groups
GROUP = 16  # examples that share a draw where layers are not dense
TOGETHER = 32  # draws evaluated at once
ROWS = 5000  # rows evaluated at once where each has its own weights


class GibbsError(NamedTuple):
    """Errors counted over independent draws."""

    wrong: int
    counted: int  # examples times passes
    draws: int  # independent draws
    padding: float  # room for the last group, which is smaller: at least 1

    @property
    def error(self) -> float:
        """The estimate."""
        return self.wrong / self.counted

    def upper(self, delta: float) -> float:
        r"""What the expected error on the sample is at most, but for probability ``delta``.

        Chernoff's bound for independent variables in [0, 1] with equal weights; a smaller group is
        filled up with examples that are never wrong.
        """
        q = self.error / self.padding
        return min(1.0, self.padding * kl_inverse(q, math.log(1 / delta) / self.draws))


def gibbs_error(
    posterior: GaussianPosterior,
    data: tuple[Tensor, Tensor],
    *,
    draws: int | None = None,
    seed: int = 0,
    group: int = GROUP,
) -> GibbsError:
    """Errors of the randomised network on ``data``.

    Args:
        posterior: The network with normal weights.
        data: Inputs and labels.
        draws: Independent draws, at least; passes over the data are made until there are as many.
        seed: Where the draws come from.
        group: Examples that share a draw where rows cannot have their own.

    Example:
        >>> layer = torch.nn.Linear(1, 1, bias=False)
        >>> _ = torch.nn.init.ones_(layer.weight)
        >>> x = torch.tensor([[1.0], [-1.0]])
        >>> Q = GaussianPosterior(layer, x, sigma=1.0)  # wrong when 1 + z < 0
        >>> found = gibbs_error(Q, (x, x[:, 0]), draws=20_000)
        >>> abs(found.error - 0.1587) < 0.01, found.draws
        (True, 20000)
    """
    x, y = data
    if draws is not None and draws < 1:
        raise InputError(f"draws must be at least 1, got {draws}")
    devices = [p.device for p in posterior.parameters()]
    n, wrong = len(x), 0
    size = 1 if posterior.independent else min(group, n)
    groups = -(-n // size)
    passes = -(-(draws or (OWN_DRAWS if size == 1 else SHARED_DRAWS)) // groups)
    count = _rowwise if size == 1 else _grouped
    with torch.no_grad(), keyed(global_generators(devices), seed, "certificate"):
        for _ in range(passes):
            wrong += count(posterior, x, y, size)
    return GibbsError(wrong, passes * n, passes * groups, groups * size / n)


def _rowwise(posterior: GaussianPosterior, x: Tensor, y: Tensor, size: int) -> int:
    parts = zip(x.split(ROWS), y.split(ROWS), strict=True)
    return sum(int(errors(posterior(a), b).sum()) for a, b in parts)


def _grouped(posterior: GaussianPosterior, x: Tensor, y: Tensor, size: int) -> int:
    """One draw a group; full groups are evaluated side by side."""
    full = len(x) // size * size
    wrong = 0
    shaped = x[:full].unflatten(0, (-1, size)), y[:full].unflatten(0, (-1, size))
    for a, b in zip(shaped[0].split(TOGETHER), shaped[1].split(TOGETHER), strict=True):
        outputs = _side_by_side(posterior, a)
        wrong += sum(int(errors(o, c).sum()) for o, c in zip(outputs, b, strict=True))
    if full < len(x):
        wrong += int(errors(posterior.draw_once(x[full:]), y[full:]).sum())
    return wrong


def _side_by_side(posterior: GaussianPosterior, x: Tensor) -> Any:
    """Outputs of the groups ``x[i]``, each with weights of its own."""
    call: Callable[[Tensor], Tensor] = vmap(posterior.draw_once, randomness="different")
    try:
        return call(x)
    except (RuntimeError, NotImplementedError):  # a layer without a batched form
        return [posterior.draw_once(part) for part in x]
