r"""Linear separability, decided with a proof either way.

With :math:`z_i = y_i (x_i, 1)` the program

.. math:: \max_a \sum_i a_i \quad\text{subject to}\quad \sum_i a_i z_i = 0,\; 0 \le a_i \le 1

has value 0 iff some :math:`(w, b)` has :math:`y_i(\langle w, x_i\rangle + b) > 0` for all i, and
value at least 1 otherwise: a nonzero feasible :math:`a` can be scaled until its largest entry is
1. No value lies in between, so rounding cannot blur the answer. The multipliers of the equality
are a separating :math:`(w, b)`; a nonzero :math:`a` is a point that the two convex hulls share.

The nearest point to the origin of the hull of the :math:`z_i` proves either as well, and is found
faster; the program decides where that proof is not beyond rounding.

:source: Perez Jensen (2025), Deep Learning, Section 1.2; Gordan (1873), "Über die Auflösung
    linearer Gleichungen mit reellen Coefficienten" (the alternative).
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Shaped
from torch import Tensor

from corollary.errors import InputError, NotFiniteError
from corollary.theory.connectionism.labelled import check_labelled, signed_points
from corollary.theory.connectionism.max_margin import nearest_of_hull


@dataclass(frozen=True)
class Separability:
    """Whether a hyperplane separates two labelled sets, and the proof."""

    separable: bool
    w: Float[Tensor, " d"] | None  # normal of a separating hyperplane; absent if there is none
    b: float | None  # its offset
    margin: float  # smallest distance of a point to that hyperplane; 0 if there is none
    certificate: Float[Tensor, " n"] | None  # a >= 0, sum 1, sum_i a_i y_i (x_i, 1) = 0
    note: str = ""  # what is degenerate about the data, if anything

    def __bool__(self) -> bool:
        return self.separable


def linear_separability(
    x: Float[Tensor, "n d"], y: Shaped[Tensor, " n"], *, bias: bool = True
) -> Separability:
    r"""Separate the points, or prove that no hyperplane does.

    Cost: a nonnegative least-squares problem of size (d + 1, n) on the CPU (less than a
    second for 1000 points in 500 dimensions), and a linear program by HiGHS if that does not
    decide. The answer comes back in the dtype and on the device of ``x``; its margin is that of the
    witness, not the largest one. Hulls closer than about 1e-9 of the data's size count as touching.

    Args:
        x: Points.
        y: Labels, -1 or +1.
        bias: Whether the hyperplane may miss the origin.

    Example:
        >>> x = torch.tensor([[0.0], [2.0]], dtype=torch.float64)
        >>> linear_separability(x, torch.tensor([-1.0, 1.0])).separable
        True
        >>> both = linear_separability(x[:1].repeat(2, 1), torch.tensor([-1.0, 1.0]))
        >>> both.separable, both.certificate.tolist(), both.note
        (False, [0.5, 0.5], 'points 0 and 1 coincide but have opposite labels')

    :covers: version-space
    :source: Perez Jensen (2025), Deep Learning, Section 1.2.
    """
    check_labelled(x, y)
    x64, y64 = x.detach().cpu().double(), y.detach().cpu().double()
    note = _degeneracy(x64, y64)
    if bias and bool((y64 == y64[0]).all()):
        return _one_class(x, float(y64[0]), note)
    centre = x64.mean(dim=0) if bias else torch.zeros_like(x64[0])
    size = float((x64 - centre).abs().max()) or 1.0  # one unit for all: the program is scale free
    z = signed_points((x64 - centre) / size, y64, bias=bias)
    for attempt in (_by_nearest_point, _by_linear_program):
        a, v = attempt(z.numpy())
        w = torch.from_numpy(v[:-1] if bias else v) / size
        b = float(v[-1] - (w * centre).sum()) if bias else 0.0
        margin = _margin(x64, y64, w, b)
        if margin > 0:
            return Separability(True, w.to(x), b, margin, None, note)
        if a is not None:
            return Separability(False, None, None, 0.0, torch.from_numpy(a).to(x), note)
    raise NotFiniteError(
        "separability cannot be decided: the margin is below 1e-9 times the size of the "
        "data; rescale the columns of x to a common size"
    )


def _by_nearest_point(z: np.ndarray) -> tuple[np.ndarray | None, np.ndarray]:
    """A direction of positive margin, or weights that cancel to the last digits, or neither."""
    nothing = np.zeros(z.shape[1])
    try:
        u, margin, _, a = nearest_of_hull(z)
    except InputError:
        return None, nothing
    if margin > 0:
        return None, u
    return (a if np.abs(a @ z).max() <= 1e-13 * np.abs(z).max() else None), nothing


def _by_linear_program(z: np.ndarray) -> tuple[np.ndarray | None, np.ndarray]:
    """The program's ``a`` if it is not zero, and the multipliers of its equations."""
    from scipy.optimize import linprog

    n, d = z.shape
    result = linprog(-np.ones(n), A_eq=z.T, b_eq=np.zeros(d), bounds=(0, 1), method="highs")
    if result.status != 0:
        raise InputError(f"the linear program was not solved ({result.message}); rescale x")
    a = np.clip(result.x, 0.0, None)
    return (a / a.sum() if a.sum() > 0.5 else None), -result.eqlin.marginals


def _margin(x: Tensor, y: Tensor, w: Tensor, b: float) -> float:
    """Distance of the nearest point, positive only if every point is on its side."""
    length = float(w.norm())
    return float((y * (x @ w + b)).min()) / length if length > 0 else 0.0


def _one_class(x: Tensor, label: float, note: str) -> Separability:
    """Any hyperplane with all points on one side: here at distance 1 from the nearest."""
    w = torch.zeros_like(x[0])
    w[0] = label
    b = label * (1.0 - float(x[:, 0].min()))
    return Separability(True, w, b, 1.0, None, note)


def _degeneracy(x: Tensor, y: Tensor) -> str:
    if bool((y == y[0]).all()):
        return f"all labels are {y[0].item():+g}"
    places, which = torch.unique(x, dim=0, return_inverse=True)
    low = torch.full((len(places),), 2.0, dtype=y.dtype).scatter_reduce(0, which, y, "amin")
    high = torch.full((len(places),), -2.0, dtype=y.dtype).scatter_reduce(0, which, y, "amax")
    torn = (low < high).nonzero()
    if len(torn) == 0:
        return ""
    same = which == torn[0]
    i, j = (same & (y < 0)).nonzero()[0].item(), (same & (y > 0)).nonzero()[0].item()
    return f"points {min(i, j)} and {max(i, j)} coincide but have opposite labels"
