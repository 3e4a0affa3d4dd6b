r"""Sets that a sum cannot tell apart.

A differentiable :math:`\varphi:\mathbb{R}\to\mathbb{R}^d` gives sets of :math:`M` numbers the sums
:math:`\Phi(x)=\sum_m\varphi(x_m)`. Its derivative :math:`(\varphi'(x_1),\dots,\varphi'(x_M))` has
:math:`M` columns and :math:`d` rows, so for :math:`d<M` there is a direction in which
:math:`\Phi` does not change, and a curve of sets with the same sum: a fibre.

:source: Perez Jensen (2025), Deep Learning, Section 7.2; Wagstaff, Fuchs, Engelcke, Posner and
    Osborne (2019), "On the limitations of representing functions on sets".
"""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.theory.prerequisites.wellformed import check_positive

Phi = Callable[[Tensor], Tensor]  # from elements (M, 1) to latent numbers (M, d), row by row
_CLOSE = 1e-9  # sums on a fibre are equal to this


def sum_fibre(
    phi: Phi, start: Float[Tensor, " M"], *, step: float = 0.04, most: int = 24
) -> Float[Tensor, "n M"]:
    """Sets in the unit cube with the same sum of phi as ``start``, a row a set, in order.

    Each step goes along the null vector of the derivative and is put back on the fibre by Newton's
    method with that derivative; the walk goes both ways and ends at the cube. Where there is no
    null vector (d >= M, if phi is in general position) it does not leave its start.

    Example:
        >>> start = torch.tensor([0.5, 0.5], dtype=torch.float64)
        >>> path = sum_fibre(lambda x: x, start)  # x1 + x2 = 1
        >>> len(path) > 30, bool(torch.allclose(path.sum(1), torch.ones(len(path)).double()))
        (True, True)
    """
    check_positive("step", step)
    return _fibres(phi, start[None], step, most)[0]


def widest_pair(
    phi: Phi, M: int, *, tries: int = 4, rng: Generator
) -> tuple[Float[Tensor, " M"], Float[Tensor, " M"]]:
    """Two sets of one fibre whose maxima differ most, of fibres through a few random sets.

    Example:
        >>> u, v = widest_pair(lambda x: x, 2, rng=torch.Generator().manual_seed(0))
        >>> bool((u.sum() - v.sum()).abs() < 1e-9), bool(v.max() > u.max() + 0.1)
        (True, True)
    """
    draws = torch.rand(tries, M, generator=rng, device=rng.device, dtype=torch.float64)
    pairs = []
    for path in _fibres(phi, 0.2 + 0.6 * draws, 0.04, 24):
        top = path.max(dim=1).values
        pairs.append((path[top.argmin()], path[top.argmax()]))
    return max(pairs, key=lambda pair: float(pair[1].max() - pair[0].max()))


def derivative_of_sum(phi: Phi, x: Float[Tensor, "*b M"]) -> Float[Tensor, "*b d M"]:
    """The derivative of the sum by the elements; column m belongs to element m alone.

    Example:
        >>> x = torch.tensor([1.0, 3.0])
        >>> derivative_of_sum(lambda x: torch.cat([x, x**2], dim=-1), x).tolist()
        [[1.0, 1.0], [2.0, 6.0]]
    """
    x = x.detach().requires_grad_()
    z = phi(x[..., None])  # (..., M, d)
    rows = [torch.autograd.grad(part.sum(), x, retain_graph=True)[0] for part in z.unbind(-1)]
    return torch.stack(rows, dim=-2)


def _fibres(phi: Phi, starts: Tensor, step: float, most: int) -> list[Tensor]:
    """The fibres through several sets; all walks, two a set, are made together."""

    @torch.no_grad()
    def total(x: Tensor) -> Tensor:
        return phi(x[..., None]).sum(dim=-2)

    x = torch.cat([starts, starts])
    last = torch.zeros_like(x)
    target, alive = total(x), torch.ones(len(x), dtype=torch.bool, device=x.device)
    sign = torch.ones_like(x[:, 0])
    sign[len(starts) :] = -1.0
    places, lengths = [x], torch.zeros_like(alive, dtype=torch.int64)
    for _ in range(most):
        J = derivative_of_sum(phi, x)
        _, s, V = torch.linalg.svd(J, full_matrices=True)
        if J.shape[-2] >= x.shape[-1]:
            alive = alive & (s[:, -1] <= _CLOSE * s[:, 0])
        if not bool(alive.any()):
            break
        turn = torch.where(last.any(dim=1), (V[:, -1] * last).sum(dim=1).sign(), sign)
        last = turn[:, None] * V[:, -1]
        moved, back = x + step * last, torch.linalg.pinv(J)
        for _ in range(8):
            moved = moved - (back @ (total(moved) - target)[..., None])[..., 0]
        inside = ((moved >= 0) & (moved <= 1)).all(dim=1)
        alive = alive & inside & ((total(moved) - target).abs().amax(dim=1) <= _CLOSE)
        x = torch.where(alive[:, None], moved, x)
        places.append(x)
        lengths = lengths + alive
    walks = torch.stack(places, dim=1)  # (walks, places, M)
    out = []
    for k in range(len(starts)):
        ahead = walks[k, : int(lengths[k]) + 1]
        behind = walks[len(starts) + k, 1 : int(lengths[len(starts) + k]) + 1]
        out.append(torch.cat([behind.flip(0), ahead]))
    return out
