r"""Sets that a sum cannot tell apart.

A differentiable :math:`\varphi:\mathbb{R}\to\mathbb{R}^d` gives sets of :math:`M` numbers the sums
:math:`\Phi(x)=\sum_m\varphi(x_m)`. Its derivative :math:`(\varphi'(x_1),\dots,\varphi'(x_M))` has
:math:`M` columns and :math:`d` rows, so for :math:`d<M` there is a direction in which
:math:`\Phi` does not change, and a curve of sets with the same sum: a fibre.

:source: Perez Jensen (2025), Deep Learning, Section 7.2; Wagstaff, Fuchs, Engelcke, Posner and
    Osborne (2019), "On the limitations of representing functions on sets".
"""

import math
from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Generator, Tensor

Phi = Callable[[Tensor], Tensor]  # from elements (M, 1) to latent numbers (M, d), row by row
_CLOSE = 1e-9  # sums on a fibre are equal to this


def sum_fibre(
    phi: Phi, start: Float[Tensor, " M"], *, step: float = 0.02, most: int = 40
) -> Float[Tensor, "n M"]:
    """Sets in the unit cube with the same sum of phi as ``start``, a row a set, in order.

    Each step goes along the null vector of the derivative and is put back on the fibre by Newton's
    method with that derivative; the walk goes both ways and ends at the cube. Where there is no
    null vector (d >= M, if phi is in general position) it does not leave its start.

    Example:
        >>> start = torch.tensor([0.5, 0.5], dtype=torch.float64)
        >>> path = sum_fibre(lambda x: x, start)  # x1 + x2 = 1
        >>> len(path) > 40, bool(torch.allclose(path.sum(1), torch.ones(len(path)).double()))
        (True, True)
    """

    @torch.no_grad()
    def missed(x: Tensor) -> Tensor:
        return phi(x[:, None]).sum(dim=0) - target

    target = torch.zeros(())
    target = missed(start)
    halves: list[list[Tensor]] = []
    for sign in (1.0, -1.0):
        x, last, half = start, None, []
        for _ in range(most):
            J = derivative_of_sum(phi, x)
            _, s, V = torch.linalg.svd(J, full_matrices=True)
            if len(J) >= len(x) and float(s[-1]) > _CLOSE * float(s[0]):
                break
            turn = sign if last is None else math.copysign(1.0, float(V[-1] @ last))
            last = turn * V[-1]
            x, back = x + step * last, torch.linalg.pinv(J)
            for _ in range(8):
                x = x - back @ missed(x)
            inside = bool(((x >= 0) & (x <= 1)).all())
            if not inside or not float(missed(x).abs().max()) <= _CLOSE:
                break
            half.append(x)
        halves.append(half)
    return torch.stack([*reversed(halves[1]), start, *halves[0]])


def widest_pair(
    phi: Phi, M: int, *, tries: int = 3, rng: Generator
) -> tuple[Float[Tensor, " M"], Float[Tensor, " M"]]:
    """Two sets of one fibre whose maxima differ most, of fibres through a few random sets.

    Example:
        >>> u, v = widest_pair(lambda x: x, 2, rng=torch.Generator().manual_seed(0))
        >>> bool((u.sum() - v.sum()).abs() < 1e-9), bool(v.max() > u.max() + 0.1)
        (True, True)
    """
    pairs = []
    for _ in range(tries):
        start = 0.2 + 0.6 * torch.rand(M, generator=rng, device=rng.device, dtype=torch.float64)
        path = sum_fibre(phi, start)
        top = path.max(dim=1).values
        pairs.append((path[top.argmin()], path[top.argmax()]))
    return max(pairs, key=lambda pair: float(pair[1].max() - pair[0].max()))


def derivative_of_sum(phi: Phi, x: Float[Tensor, " M"]) -> Float[Tensor, "d M"]:
    """The derivative of the sum by the elements; column m belongs to element m alone.

    Example:
        >>> x = torch.tensor([1.0, 3.0])
        >>> derivative_of_sum(lambda x: torch.cat([x, x**2], dim=1), x).tolist()
        [[1.0, 1.0], [2.0, 6.0]]
    """
    x = x.detach().requires_grad_()
    total = phi(x[:, None]).sum(dim=0)
    rows = [torch.autograd.grad(t, x, retain_graph=True)[0] for t in total]
    return torch.stack(rows)
