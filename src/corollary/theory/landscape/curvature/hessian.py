r"""The Hessian of a loss, by its products.

.. math:: H v = \nabla_\theta \langle \nabla L(\theta), v \rangle

The graph of :math:`\nabla L` is built once; each product is one backward pass through it (reverse
over reverse), about the price of 1.4 gradients for small networks. By matrix products alone it is
at most two: the gradient of a layer inside takes three and the product six. Reverse over reverse is
the most widely supported of the four orders; it is also free of a fault of torch 2.13's ``jacrev``
through LayerNorm. Convolutions have second derivatives of their own
(:mod:`~corollary.theory.modules.convolutions`), which save a sixth of a product for a small CNN
(1.35 gradients in place of 1.61). (``torch.func.linearize`` gives products a sixth cheaper still
for that CNN, and no cheaper ones for an MLP, after seconds of tracing, which the few dozen
products of an eigenvalue or a trace do not earn back; the benchmark shows both.) Where even double
reverse is missing (a layer that can be differentiated once only), products are central differences
of the gradient, and :attr:`~Hessian.path` says so.

:source: Pearlmutter (1994), "Fast exact multiplication by the Hessian".
"""

from collections.abc import Sequence

import torch
from torch import Generator, Tensor

from corollary.theory.landscape.curvature.batches import Batch
from corollary.theory.landscape.curvature.calls import of_model
from corollary.theory.landscape.curvature.landscape import Landscape
from corollary.theory.landscape.curvature.streamed import Streamed, Term
from corollary.theory.modules.keeping import kept
from corollary.theory.seeding import as_generator


class Hessian(Streamed):
    """See the module; made by :func:`hessian`."""

    kind = "double reverse"
    differences = False

    def _term(self, batch: Batch) -> Term:
        landscape = self.landscape
        value = landscape.objective(batch)
        slopes = landscape.slopes(value, create_graph=True)
        curved = {i: g for i, g in enumerate(slopes) if g is not None and g.requires_grad}
        roots = tuple(curved.values())

        def product(v: list[Tensor]) -> Sequence[Tensor | None]:
            if not roots:  # a loss that is linear in its parameters
                return [None] * len(v)
            return torch.autograd.grad(
                roots,
                landscape.parameters,
                grad_outputs=[v[i] for i in curved],
                retain_graph=True,
                allow_unused=True,
            )

        return Term(product, roots, value.detach())

    def _fall_back(self, refusal: Exception) -> int:
        self.differences = True
        self._reason = str(refusal).split("\n")[0].rstrip(".")[:160]
        return 0

    def _build(self) -> None:
        if self.differences:
            error = torch.finfo(self.dtype).eps ** (2 / 3)
            self.path = (
                f"central differences of the gradient (relative error about {error:.0e}), for a "
                f"layer has no second derivative: {self._reason}"
            )
        else:
            super()._build()

    def _product(self, v: Tensor) -> Tensor:
        return self._difference(v) if self.differences else super()._product(v)

    def _difference(self, v: Tensor) -> Tensor:
        landscape = self.landscape
        length = float(v.norm())
        if length == 0:
            return torch.zeros_like(v)
        at = landscape.point()
        scale = max(float(at.norm()) / len(at) ** 0.5, 1.0)
        step: float = torch.finfo(landscape.dtype).eps ** (1 / 3) * scale / length
        with kept(landscape.module):
            ahead = _gradient_at(landscape, at + step * v)
            behind = _gradient_at(landscape, at - step * v)
        return (ahead - behind) / (2 * step)

    def asymmetry(self, *, rng: int | Generator = 0) -> float:
        r"""The self-test :math:`|\langle u, Hv\rangle - \langle v, Hu\rangle| / \|Hu\|\|v\|`.

        Above a few units of rounding, some layer's second derivative is wrong.
        """
        rng = as_generator(rng)
        u, v = self.random(rng=rng), self.random(rng=rng)
        hu, hv = self.product(u), self.product(v)
        gap = float((u @ hv - v @ hu).abs())
        return gap / max(float(hu.norm() * v.norm()), torch.finfo(self.dtype).tiny)


@of_model
def hessian(landscape: Landscape) -> Hessian:
    r"""The Hessian of a landscape as a linear operator.

    Memory: the graph of the gradient, about twice what a gradient pass holds, in pieces beyond 256
    MiB. Cost of a product: O(one gradient pass), linear in examples and in parameters. On one core
    it takes 1.8 gradients for ResNet-18 with 128 images (11 s) and 2 for GPT-2 with 124 million
    parameters and 128 tokens (3.7 s), each with 2.3 times a gradient's memory; see
    ``benchmarks/real_sizes.py``.

    Example:
        >>> model = torch.nn.Linear(2, 1, bias=False)
        >>> x = torch.tensor([[1.0, 0.0], [1.0, 2.0]])
        >>> H = hessian(Landscape(model, torch.nn.MSELoss(), (x, torch.zeros(2, 1))))
        >>> H.dense().tolist()  # (2/n) x^T x
        [[2.0, 2.0], [2.0, 4.0]]
        >>> H.path
        'double reverse; graph kept (about 0 MiB)'
    """
    return Hessian(landscape)


def _gradient_at(landscape: Landscape, point: Tensor) -> Tensor:
    with torch.no_grad():
        for p, value in zip(landscape.parameters, landscape.split(point), strict=True):
            p.copy_(value)
    return landscape.gradient()
