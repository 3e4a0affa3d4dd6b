r"""The generalised Gauss-Newton matrix, by its products.

With the network's output :math:`f(\theta)` and the loss's Hessian :math:`S_i` at output i,

.. math:: G v = \frac1n \sum_i J_i^\top S_i J_i v, \qquad
          H = G + \frac1n \sum_i \sum_c \frac{\partial \ell}{\partial f_c} \nabla^2 f_c(x_i).

:math:`Jv` is had without forward derivatives: :math:`u \mapsto J^\top u` is linear in u, and the
derivative of :math:`\langle J^\top u, v\rangle` with respect to u is :math:`Jv`.

:source: Schraudolph (2002), "Fast curvature matrix-vector products for second-order gradient
    descent".
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from corollary.errors import InputTypeError
from corollary.theory.landscape.curvature.batches import Batch
from corollary.theory.landscape.curvature.calls import of_model
from corollary.theory.landscape.curvature.landscape import Landscape
from corollary.theory.landscape.curvature.streamed import Streamed, Term

Forward = Callable[[list[Tensor]], Tensor]  # v -> J v
Back = Callable[[Tensor], Sequence[Tensor | None]]  # u -> J^T u


class GaussNewton(Streamed):
    """See the module; made by :func:`gauss_newton`."""

    kind = "Gauss-Newton by double reverse"

    def _term(self, batch: Batch) -> Term:
        landscape = self.landscape
        z = tensor_output(landscape, batch)
        if not z.requires_grad:
            return Term(lambda v: [None] * len(v), (), landscape.of_output(z, batch))
        leaf = z.detach().requires_grad_()
        value = landscape.of_output(leaf, batch)
        (slope,) = torch.autograd.grad(value, leaf, create_graph=True)
        forward, back, pulled = jacobian(landscape, z)

        def product(v: list[Tensor]) -> Sequence[Tensor | None]:
            if not slope.requires_grad:  # a loss that is linear in the output
                return [None] * len(v)
            (sjv,) = torch.autograd.grad(slope, leaf, forward(v), retain_graph=True)
            return back(sjv)

        return Term(product, (*pulled, slope), value.detach())


@of_model
def gauss_newton(landscape: Landscape) -> GaussNewton:
    r"""The Gauss-Newton matrix of a landscape; the module must return one tensor.

    It is positive semi-definite for a convex loss and equals the Hessian for a model that is
    linear in its parameters. Cost of a product: O(one gradient pass), linear in examples; 1.4
    gradients and twice a gradient's memory for GPT-2 with 124 million parameters.

    Example:
        >>> from corollary.theory.landscape.curvature.hessian import hessian
        >>> model = torch.nn.Linear(2, 3)
        >>> data = torch.randn(8, 2), torch.arange(8) % 3
        >>> landscape = Landscape(model, torch.nn.CrossEntropyLoss(), data)
        >>> G, H = gauss_newton(landscape).dense(), hessian(landscape).dense()
        >>> torch.allclose(G, H, atol=1e-5)
        True
    """
    return GaussNewton(landscape)


def tensor_output(landscape: Landscape, batch: Batch) -> Tensor:
    """The module's answer, which must be one tensor."""
    z = landscape.output(batch)
    if not isinstance(z, Tensor):
        raise InputTypeError(
            "the Gauss-Newton and Fisher matrices need a module that returns one tensor, but "
            f"{type(landscape.module).__name__} returns an object of type {type(z).__name__}; "
            "wrap it so that it returns the input of the loss, or use the Hessian"
        )
    return z


def jacobian(landscape: Landscape, z: Tensor) -> tuple[Forward, Back, tuple[Tensor, ...]]:
    r"""The maps :math:`v \mapsto Jv` and :math:`u \mapsto J^\top u`, and the graph they share."""
    u = torch.zeros_like(z).requires_grad_()
    pulled = torch.autograd.grad(z, landscape.parameters, u, create_graph=True, allow_unused=True)
    used = [i for i, g in enumerate(pulled) if g is not None and g.requires_grad]
    roots = tuple(pulled[i] for i in used)

    def forward(v: list[Tensor]) -> Tensor:
        if not roots:
            return torch.zeros_like(z)
        (jv,) = torch.autograd.grad(roots, u, [v[i] for i in used], retain_graph=True)
        return jv

    def back(w: Tensor) -> Sequence[Tensor | None]:
        return torch.autograd.grad(z, landscape.parameters, w, retain_graph=True, allow_unused=True)

    return forward, back, roots
