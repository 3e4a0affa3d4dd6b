r"""What a Hopfield network is made of: states of signs and couplings between them.

The functions here refuse what is neither, in one sentence.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError, InputTypeError


def sign(h: Float[Tensor, "*any"]) -> Float[Tensor, "*any"]:
    r"""The two-valued sign, :math:`\operatorname{sgn}(0) = +1`.

    Example:
        >>> sign(torch.tensor([-2.0, 0.0, 3.0])).tolist()
        [-1.0, 1.0, 1.0]
    """
    return 1 - 2 * (-h).clamp(0, 1).ceil()  # NaN stays NaN, which a comparison would make -1


def checked_signs(x: Tensor, n: int | None = None, name: str = "the state") -> Tensor:
    """Give back ``x`` if it is a float tensor of -1 and +1 with ``n`` entries per row.

    Example:
        >>> checked_signs(torch.tensor([1.0, -1.0]), 2).tolist()
        [1.0, -1.0]
    """
    if not isinstance(x, Tensor) or not x.is_floating_point():
        kind = x.dtype if isinstance(x, Tensor) else type(x).__name__
        raise InputTypeError(f"{name} needs a float tensor of -1 and +1, got {kind}")
    if x.ndim == 0 or x.shape[-1] == 0 or (n is not None and x.shape[-1] != n):
        needed = "at least one entry" if n is None else f"{n} entries"
        raise InputError(f"{name} needs {needed} per row, got shape {tuple(x.shape)}")
    wrong = x.abs() != 1  # also true for NaN
    if bool(wrong.any()):
        value = x[wrong][0].item()
        raise InputError(
            f"{name} needs entries -1 and +1, got {value:g}; map a binary array with 2 * x - 1"
        )
    return x


def checked_patterns(patterns: Tensor) -> Tensor:
    """Give back ``patterns`` if it is a matrix of signs with at least one row."""
    if isinstance(patterns, Tensor) and (patterns.ndim != 2 or patterns.shape[0] == 0):
        raise InputError(
            "patterns need to be a matrix with at least one pattern per row, but their shape is "
            f"{tuple(patterns.shape)}"
        )
    return checked_signs(patterns, name="the pattern matrix")


def checked_couplings(W: Tensor, b: Tensor | None) -> tuple[Tensor, Tensor]:
    """Give back ``(W, b)`` if they make a network: square, finite, ``b`` zero when left out."""
    if not isinstance(W, Tensor) or not W.is_floating_point():
        kind = W.dtype if isinstance(W, Tensor) else type(W).__name__
        raise InputTypeError(f"W needs to be a float tensor, got {kind}")
    if W.ndim != 2 or W.shape[0] != W.shape[1] or W.shape[0] == 0:
        raise InputError(f"W needs to be a square matrix, got shape {tuple(W.shape)}")
    b = W.new_zeros(W.shape[0]) if b is None else b
    if b.shape != W.shape[:1]:
        raise InputError(
            f"b needs one threshold per neuron, shape ({W.shape[0]},), got shape {tuple(b.shape)}"
        )
    if not bool(torch.isfinite(W).all() & torch.isfinite(b).all()):
        raise InputError("W and b need finite entries, but one is NaN or infinite")
    return W, b.to(W)


def check_symmetric(W: Float[Tensor, "n n"]) -> None:
    """Raise unless ``W`` is symmetric with a zero diagonal: without both no energy descends."""
    if not is_symmetric(W):
        i, j = divmod(int((W - W.mT).abs().argmax()), W.shape[0])
        raise InputError(
            f"W needs to be symmetric, but W[{i}, {j}] = {W[i, j]:g} and W[{j}, {i}] = "
            f"{W[j, i]:g}; pass (W + W.T) / 2"
        )
    if not has_zero_diagonal(W):
        i = int(W.diagonal().abs().argmax())
        raise InputError(
            f"W needs a zero diagonal, but W[{i}, {i}] = {W[i, i]:g}; call W.fill_diagonal_(0)"
        )


def is_symmetric(W: Float[Tensor, "n n"]) -> bool:
    """Whether neurons act on each other alike, entry by entry."""
    return torch.equal(W, W.mT)


def has_zero_diagonal(W: Float[Tensor, "n n"]) -> bool:
    """Whether no neuron acts on itself."""
    return not bool(W.diagonal().any())
