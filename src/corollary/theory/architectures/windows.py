r"""What a window that slides makes of sizes: outputs, and the inputs one output depends on.

.. math:: n_{\text{out}}=\Bigl\lfloor\frac{n+2p-d(k-1)-1}{s}\Bigr\rfloor+1,\qquad
   r_l=r_{l-1}+d_l(k_l-1)\prod_{i<l}s_i,\quad r_0=1

for kernels of length k, stride s, padding p and dilation d (in the notes d = 1).

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.1.3 and Figures 10.6 and 10.7.
"""

from collections.abc import Callable, Sequence

import torch
from jaxtyping import Bool
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_no_nan


def conv_output_size(n: int, k: int, s: int = 1, p: int = 0, d: int = 1) -> int:
    """Places a kernel of length k takes on n inputs with p zeros at each end, s apart.

    Example:
        >>> conv_output_size(9, 3), conv_output_size(9, 3, s=3), conv_output_size(9, 3, p=1)
        (7, 3, 9)

    :covers: conv-output-size
    """
    if min(n, k, s, d) < 1 or p < 0:
        raise InputError(
            f"n, k, s, d >= 1 and p >= 0 are needed, got n={n}, k={k}, s={s}, p={p}, d={d}"
        )
    reach = d * (k - 1) + 1
    if reach > n + 2 * p:
        raise InputError(
            f"a kernel that spans {reach} positions does not fit into {n} inputs with padding "
            f"{p}; the padding must be at least {-((n - reach) // 2)}"
        )
    return (n + 2 * p - reach) // s + 1


def same_padding(k: int, d: int = 1) -> int:
    """The padding that keeps the size at stride 1; there is none if d(k - 1) is odd.

    Example:
        >>> same_padding(3), same_padding(5), same_padding(2, d=2)
        (1, 2, 1)
    """
    if k < 1 or d < 1 or d * (k - 1) % 2:
        raise InputError(f"for k={k}, d={d} no padding that is equal at both ends keeps the size")
    return d * (k - 1) // 2


def receptive_field(layers: Sequence[tuple[int, ...]]) -> list[int]:
    """Inputs in a row that one output depends on, after each layer ``(k, s)`` or ``(k, s, d)``.

    Example:
        >>> receptive_field([(3, 1), (3, 1), (2, 2), (3, 1)])
        [3, 5, 6, 10]

    :covers: receptive-field
    """
    fields, r, jump = [], 1, 1
    for layer in layers:
        if len(layer) not in (2, 3) or min(layer) < 1:
            raise InputError(f"expected a layer (k, s) or (k, s, d) with entries >= 1, got {layer}")
        k, s, d = (*layer, 1)[:3]
        r += d * (k - 1) * jump
        jump *= s
        fields.append(r)
    return fields


def seen_inputs(
    f: Callable[[Tensor], Tensor], x: Tensor, place: Sequence[int] | None = None
) -> Bool[Tensor, "*n"]:
    """Which entries of x have an effect on one output of f: where the gradient is not zero.

    Without ``place`` the output in the middle. Where a unit is switched off at this x the gradient
    shows less than the layers reach; take positive weights and a positive x to see all.

    Example:
        >>> seen_inputs(lambda x: x[1:] - x[:-1], torch.ones(5), [0]).tolist()
        [True, True, False, False, False]
    """
    x = x.detach().clone().requires_grad_()
    y = f(x)
    at = tuple(n // 2 for n in y.shape) if place is None else tuple(place)
    if len(at) != y.ndim:
        raise InputError(f"an output of shape {tuple(y.shape)} has no position {list(at)}")
    (gradient,) = torch.autograd.grad(y[at], x)
    check_no_nan("the gradient of f", gradient)
    return gradient != 0


def width(seen: Bool[Tensor, " n"]) -> int:
    """From the first to the last entry that is seen, both counted; 0 if none is.

    Example:
        >>> width(torch.tensor([False, True, False, True, False]))
        3
    """
    where = seen.nonzero().flatten()
    return int(where[-1] - where[0]) + 1 if len(where) else 0
