"""What functions ask of their input, with one sentence when it is not so."""

import torch
from jaxtyping import Shaped
from torch import Tensor

from corollary.errors import InputError


def check_finite(name: str, a: Shaped[Tensor, "..."]) -> None:
    """Refuse an empty tensor, NaN and infinities.

    Example:
        >>> check_finite("A", torch.eye(2))
    """
    if a.numel() == 0:
        raise InputError(f"{name} must not be empty, got shape {tuple(a.shape)}")
    # A sum is not finite if a term is not, and many times quicker to look at than all of them.
    if not bool(torch.isfinite(a.sum())) and not bool(torch.isfinite(a).all()):
        bad = int((~torch.isfinite(a)).sum())
        raise InputError(f"{name} must be finite, but {bad} of its entries are NaN or infinite")


def check_no_nan(name: str, a: Shaped[Tensor, "..."]) -> None:
    """Refuse NaN, where infinities have a meaning.

    Example:
        >>> check_no_nan("draws", torch.tensor([1.0, float("inf")]))
    """
    if bool(torch.isnan(a.sum())) and bool(torch.isnan(a).any()):
        bad = int(torch.isnan(a).sum())
        raise InputError(f"{name} must be numbers, but {bad} of {a.numel()} entries are NaN")


def check_square(name: str, a: Shaped[Tensor, "m n"]) -> None:
    """Refuse a matrix that is not finite and square."""
    check_finite(name, a)
    if a.shape[0] != a.shape[1]:
        raise InputError(f"{name} must be square, got shape {tuple(a.shape)}")


def check_symmetric(name: str, a: Shaped[Tensor, "m n"]) -> None:
    """Refuse a matrix that is not symmetric up to rounding."""
    check_square(name, a)
    off = float((a - a.T).abs().max())
    if off > rounding(a) * max(float(a.abs().max()), 1e-300):
        raise InputError(
            f"{name} must be symmetric, but {name} - {name}^T has an entry of size {off:.3g}; "
            f"take the symmetric part ({name} + {name}.T) / 2 if that is what you mean"
        )


def check_positive(name: str, value: float) -> None:
    """Refuse what is not a positive number."""
    if not 0 < value < float("inf"):
        raise InputError(f"{name} must be a positive number, got {value:g}")


def check_at_least(name: str, value: float | int, least: float | int) -> None:
    """Refuse NaN and what is below the least value."""
    if not value >= least:
        raise InputError(f"{name} must be at least {least:g}, got {value:g}")


def rounding(a: Shaped[Tensor, "..."]) -> float:
    """The relative error that a few dozen operations on entries of ``a`` may leave.

    Example:
        >>> rounding(torch.eye(2, dtype=torch.float64)) < 1e-12
        True
    """
    root: float = max(a.shape[-1:] or (1,)) ** 0.5
    return 64 * torch.finfo(a.dtype).eps * root
