r"""Is a weight still what it was drawn as?

Two traces of a random start. Its entries follow the law they were drawn from: uniform on
:math:`[-b,b]` or normal, with the scale that a common initialisation gives to this shape. And its
spectrum is that of Marchenko and Pastur, without spikes.

What a change would have shown. Entries that were uniform and have moved by :math:`|\Delta|` on
average are outside of :math:`[-b,b]` with probability :math:`E|\Delta|/(2b)`, so of N entries none
is outside with probability :math:`e^{-NE|\Delta|/(2b)}`: if none is, the mean change is below
:math:`6b/N` with confidence 95 %. Entries that were normal show a change of relative size r by
their mean square, :math:`1+r^2`, which is known to :math:`\epsilon=\sqrt{2/N}` of itself; it is
seen if what it leaves, less :math:`1.65\,\epsilon`, is more than :math:`3.29\,\epsilon` above this
start and above those others that lie so close that one would be taken for the next.

:source: Glorot and Bengio (2010), "Understanding the difficulty of training deep feedforward neural
    networks"; He, Zhang, Ren and Sun (2015), "Delving deep into rectifiers"; the scales are those
    of torch.nn.init.
"""

import math
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float
from scipy.special import kolmogorov
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.wording import percent

CHANCE = 1e-3  # of calling a weight changed that is at its start
FAR = 3.29  # standard errors, beyond which a normal number is by that chance
FEWEST = 100  # entries, below which nothing can be said


@dataclass(frozen=True)
class RandomStart:
    """The law that the entries still follow."""

    law: Literal["uniform", "normal", "orthogonal"]
    scale: float  # b, or the standard deviation, or the singular value
    change: float  # what would have been seen with confidence 95 %, relative to the size of W

    def __repr__(self) -> str:
        return (
            f"still at its random start: {self.law} of scale {self.scale:.4g}; a change of "
            f"{percent(self.change)} would have been seen"
        )


def random_start(matrix: Float[Tensor, "out in"], *, fans: tuple[int, int]) -> RandomStart | None:
    """The common start that the weight is still at, or None.

    Args:
        matrix: The weight.
        fans: Inputs of an output and outputs of an input, as initialisations count them.

    Example:
        >>> rng = torch.Generator().manual_seed(0)
        >>> w = (2 * torch.rand(30, 20, generator=rng, dtype=torch.float64) - 1) / 20**0.5
        >>> random_start(w, fans=(20, 30)).law
        'uniform'
        >>> random_start(w * 1.01, fans=(20, 30)) is None
        True
    """
    if min(fans) < 1:
        raise InputError(f"expected fan-in and fan-out of at least 1, got {fans}")
    rounding = 2 * torch.finfo(matrix.dtype).eps
    w = matrix.detach().cpu().double()
    if w.numel() < FEWEST or not bool(w.isfinite().all()):
        return None
    flat = w.flatten()
    return _orthogonal(w) or _uniform(flat, fans, rounding) or _normal(flat, fans)


def _bounds(fans: tuple[int, int]) -> list[float]:
    """Of uniform starts: torch's own, Xavier's, He's, and the recurrent one by hidden units."""
    into, out = fans
    squares = [1 / into, 6 / (into + out), 6 / into, 3 / into, 6 / out, 3 / out, 1 / out]
    squares += [gates / out for gates in (3, 4)]  # GRU and LSTM: 1/√hidden, out = gates · hidden
    return [math.sqrt(s) for s in squares]


def _deviations(fans: tuple[int, int]) -> list[float]:
    """Of normal starts: He's, LeCun's, Xavier's, by inputs or outputs, and fixed ones."""
    into, out = fans
    squares = [2 / into, 1 / into, 2 / (into + out), 2 / out, 1 / out]
    return [*(math.sqrt(s) for s in squares), 1.0, 0.02, 0.01]


def _uniform(w: Tensor, fans: tuple[int, int], rounding: float) -> RandomStart | None:
    n, largest = w.numel(), float(w.abs().max())
    slack = -math.log(CHANCE) / n  # the largest of n entries is nearer to its bound than this
    for b in _bounds(fans):
        if b * (1 - slack) <= largest <= b * (1 + rounding):
            if _distance_p_value(((w.sort().values / b + 1) / 2).clamp(0, 1)) > CHANCE:
                return RandomStart("uniform", b, 6 / n * math.sqrt(3 * math.pi / 2))
    return None


def _normal(w: Tensor, fans: tuple[int, int]) -> RandomStart | None:
    n, size = w.numel(), float(w.square().mean())
    error, starts = math.sqrt(2 / n), _deviations(fans)
    for s in starts:
        if abs(size / s**2 - 1) < FAR * error:
            if _distance_p_value(torch.special.ndtr(w.sort().values / s)) > CHANCE:
                return RandomStart("normal", s, _visible_growth(s, starts, error))
    return None


def _visible_growth(s: float, starts: list[float], error: float) -> float:
    """The relative size of a change after which the mean square is that of no start, at 95 %."""
    least = 1.0
    for other in sorted((o / s) ** 2 for o in starts if o >= s):
        if other * (1 - FAR * error) <= least:  # a smaller growth may be taken for this start
            least = other * (1 + FAR * error) / max(1 - 1.65 * error, 0.5)
    return math.sqrt(least - 1)


def _orthogonal(w: Tensor) -> RandomStart | None:
    """Rows (or columns) that are orthogonal and of one length."""
    w = w if w.shape[0] <= w.shape[1] else w.T
    gram = w @ w.T
    square = float(gram.diagonal().mean())
    if square == 0 or len(gram) < 2:
        return None
    off = float((gram / square - torch.eye(len(gram), dtype=w.dtype)).abs().max())
    return RandomStart("orthogonal", math.sqrt(square), off) if off < 1e-4 else None


def _distance_p_value(model: Tensor) -> float:
    """Kolmogorov and Smirnov for independent entries; the model's distribution at each, sorted."""
    n = len(model)
    steps = torch.arange(n + 1, dtype=model.dtype) / n
    distance = float(torch.maximum(model - steps[:-1], steps[1:] - model).max())
    return float(kolmogorov(distance * (math.sqrt(n) + 0.12 + 0.11 / math.sqrt(n))))
