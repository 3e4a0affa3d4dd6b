"""Arrays that layers can work with: the checks every forward pass starts with."""

from typing import Any

import numpy as np

from corollary.errors import InputError, InputTypeError

Random = np.random.RandomState | np.random.Generator  # both draw with standard_normal


def checked_points(X: Any, width: int | None, owner: str) -> np.ndarray:
    """A matrix of finite numbers, one row per point, as wide as its owner reads."""
    if not isinstance(X, np.ndarray):
        raise InputTypeError(f"{owner}: expected a NumPy array, got {type(X).__name__}")
    if X.ndim != 2 or X.shape[0] == 0 or (width is not None and X.shape[1] != width):
        wide = "d" if width is None else width
        raise InputError(f"{owner}: expected shape (N, {wide}) with N >= 1, got {X.shape}")
    if not np.isfinite(X).all():
        row = int(np.argwhere(~np.isfinite(X))[0, 0])
        raise InputError(f"{owner} expects finite numbers, but row {row} contains NaN or infinity")
    return X


def checked_random(rng: Any) -> Random:
    """A NumPy source of randomness; a seed is refused so that no one draws the same twice."""
    if not isinstance(rng, np.random.RandomState | np.random.Generator):
        what = type(rng).__name__
        raise InputTypeError(f"rng must be a NumPy Generator or RandomState, got {what}")
    return rng
