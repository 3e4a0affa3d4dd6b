r"""The Laplacian of a function as deviation from its local mean.

.. math:: \Delta f=\sum_{i=1}^d\frac{\partial^2f}{\partial x_i^2},\qquad
   \frac{1}{|S_r|}\int_{S_r(x)}f-f(x)=\frac{r^2}{2d}\Delta f(x)+O(r^4).

The mean over the sphere is taken over the :math:`2d` points :math:`\pm rq_i` of orthonormal frames
:math:`q_1,\dots,q_d`. One frame is already exact for polynomials of degree 3, random frames average
to the sphere's mean.

:source: Perez Jensen (2025), Deep Learning, Section 7.5, Definition 7.6.
"""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError

Field = Callable[[Tensor], Tensor]  # from points (n, d) to values (n,)


def laplace_operator(f: Field, x: Float[Tensor, "n d"]) -> Float[Tensor, " n"]:
    """The Laplacian of ``f`` at each point, by second derivatives: d backward passes.

    ``f`` maps points (n, d) to values (n,), each from its own point.

    Example:
        >>> x = torch.tensor([[1.0, 2.0]], dtype=torch.float64)
        >>> laplace_operator(lambda x: x[:, 0] ** 2 + 3 * x[:, 1] ** 2, x).tolist()
        [8.0]

    :covers: continuous-laplacian
    """
    x = x.detach().requires_grad_()
    value = f(x)
    if value.shape != x.shape[:1]:
        raise InputError(
            f"expected f to return one number per point, but it maps shape {tuple(x.shape)} "
            f"to {tuple(value.shape)}"
        )
    (gradient,) = torch.autograd.grad(value.sum(), x, create_graph=True)
    if not gradient.requires_grad:  # an affine function
        return torch.zeros_like(value.detach())
    seconds = [
        torch.autograd.grad(gradient[:, i].sum(), x, retain_graph=True)[0][:, i]
        for i in range(x.shape[1])
    ]
    return torch.stack(seconds).sum(dim=0)


def sphere_mean(
    f: Field, x: Float[Tensor, "n d"], r: float, *, frames: int = 1, rng: Generator
) -> Float[Tensor, " n"]:
    """The mean of ``f`` over spheres of radius ``r`` around the points; ``2 d frames`` values each.

    Example:
        >>> rng = torch.Generator().manual_seed(0)
        >>> x = torch.zeros(1, 3, dtype=torch.float64)
        >>> mean = sphere_mean(lambda x: (x**2).sum(1), x, 2.0, rng=rng)
        >>> round(mean.item(), 12)
        4.0
    """
    if not r > 0 or frames < 1:
        raise InputError(
            f"expected a radius > 0 and at least one frame, got r={r:g} and frames={frames}"
        )
    n, d = x.shape
    normal = torch.randn(frames, d, d, generator=rng, device=rng.device, dtype=x.dtype)
    q = torch.linalg.qr(normal).Q.transpose(1, 2).reshape(-1, d)  # rows of the frames
    points = x[:, None] + r * torch.cat([q, -q])  # (n, 2 d frames, d)
    return f(points.reshape(-1, d)).reshape(n, -1).mean(dim=1)


def laplacian_by_means(
    f: Field, x: Float[Tensor, "n d"], r: float, *, frames: int = 1, rng: Generator
) -> Float[Tensor, " n"]:
    r"""The quotient :math:`\frac{2d}{r^2}(\text{mean over }S_r(x)-f(x))`, off by O(r^2).

    Example:
        >>> rng = torch.Generator().manual_seed(0)
        >>> x = torch.tensor([[1.0, 2.0]], dtype=torch.float64)
        >>> saddle = lambda x: x[:, 0] ** 2 - x[:, 1] ** 2  # harmonic
        >>> abs(laplacian_by_means(saddle, x, 0.5, rng=rng).item()) < 1e-12
        True

    :covers: continuous-laplacian
    """
    return 2 * x.shape[1] / r**2 * (sphere_mean(f, x, r, frames=frames, rng=rng) - f(x))
