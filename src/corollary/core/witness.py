"""Tests of hypotheses on drawn instances: each returns a bool and the number behind it."""

import math

import torch
from torch import Tensor

Witness = tuple[bool, str]
ERRORS = 5.0  # standard errors: chance exceeds them once in two million draws


def near(left: Tensor | float, right: Tensor | float, to: float = 1e-9) -> Witness:
    """Whether two tensors agree entry by entry, up to ``to``.

    Example:
        >>> import torch
        >>> near(torch.ones(3), 1.0)
        (True, 'off by 0')
    """
    off = float(torch.as_tensor(left - right).detach().abs().max())
    return off <= to, f"off by {off:.2g}"


def below(values: Tensor | float, limit: Tensor | float, slack: float = 1e-12) -> Witness:
    """Whether no entry exceeds ``limit``, up to a relative ``slack``.

    Example:
        >>> below(0.3, 0.5)
        (True, '0.3, at most 0.5')
    """
    largest, most = float(torch.as_tensor(values).detach().max()), float(limit)
    return largest <= most + slack * abs(most), f"{largest:.3g}, at most {most:.3g}"


def mean_is(values: Tensor, mean: float = 0.0) -> Witness:
    """Whether independent draws have this mean, up to five standard errors."""
    off, error = abs(float(values.mean()) - mean), float(values.std()) / values.numel() ** 0.5
    z = off / error if error else (0.0 if off == 0 else math.inf)
    return z < ERRORS, f"mean {float(values.mean()):.3g}, {z:.1f} standard errors off"


def mean_square_is(values: Tensor, square: float) -> Witness:
    """Whether independent draws have this mean square, up to five standard errors."""
    fine, _ = mean_is(values.square(), square)
    return fine, f"mean square {float(values.square().mean()):.3g}, expected {square:.3g}"
