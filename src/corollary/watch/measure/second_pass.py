r"""Curvature if the graph of the step has no second derivative.

Fused attention and compiled modules cannot be differentiated twice. Then the forward pass is
repeated with kernels that can be, from the same inputs and the same random state; the loss is taken
from the step's own graph, as a function of the model's output z. With :math:`u = \nabla_z\ell`,

.. math:: H v = J^\top\,\nabla^2_z\ell\;J v + \nabla_\theta\bigl\langle\nabla_\theta\langle u,
          z(\theta)\rangle, v\bigr\rangle .
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from corollary.errors import NotApplicableError
from corollary.theory.landscape.curvature.operator import Curvature
from corollary.theory.modules.differentiable import differentiable
from corollary.theory.modules.keeping import kept
from corollary.watch.state import Pass


class SecondPassHessian(Curvature):
    """Products with the Hessian, through a second pass of the model.

    Args:
        root: The loss of the step, with its graph.
        found: The model's call that led to it, with its output.
        model: The module, not compiled.
        parameters: Coordinates, parameters of the module.

    Raises:
        NotApplicableError: if the loss does not come from this call alone.
    """

    path = "a second pass of the model"

    def __init__(
        self, root: Tensor, found: Pass, model: nn.Module, parameters: Sequence[Tensor]
    ) -> None:
        self.parameters = list(parameters)
        self.size = sum(p.numel() for p in self.parameters)
        self.dtype, self.device = torch.float32, self.parameters[0].device
        outputs = list(_outputs(found.output))
        if not outputs or not found.repeatable:
            raise NotApplicableError("the model's output is not known")
        slopes = torch.autograd.grad(
            root, outputs, create_graph=True, retain_graph=True, allow_unused=True
        )
        self.used = [i for i, u in enumerate(slopes) if u is not None]
        if not self.used:
            raise NotApplicableError("the loss does not come from the model's last call")
        self.z = [outputs[i] for i in self.used]
        self.u = [u for u in slopes if u is not None]
        self.again = self._second_pass(found, model, len(outputs))
        self.dummies = [torch.zeros_like(z, requires_grad=True) for z in self.again]
        with torch.enable_grad():
            given = [a + b.detach() for a, b in zip(self.dummies, self.u, strict=True)]
            self.slopes = torch.autograd.grad(
                self.again, self.parameters, given, create_graph=True, allow_unused=True
            )

    def _second_pass(self, found: Pass, model: nn.Module, count: int) -> list[Tensor]:
        with kept(model, read_only=True), differentiable(), torch.enable_grad():
            model.train(found.training)
            torch.set_rng_state(found.rng)
            again = list(_outputs(model(*found.args, **found.kwargs)))
        if len(again) != count:
            raise NotApplicableError("the output of the model changes from call to call")
        return [again[i] for i in self.used]

    def _product(self, v: Tensor) -> Tensor:
        parts = v.split([p.numel() for p in self.parameters])
        along = [a.view_as(p).to(p) for a, p in zip(parts, self.parameters, strict=True)]
        pairs = [(g, a) for g, a in zip(self.slopes, along, strict=True) if g is not None]
        # The slopes are J^T (dummy + u): their derivative in the dummy is J, in theta the rest.
        rest = torch.autograd.grad(
            [g for g, _ in pairs],
            [*self.dummies, *self.parameters],
            [a for _, a in pairs],
            retain_graph=True,
            allow_unused=True,
        )
        moved = [
            torch.zeros_like(z) if m is None else m for z, m in zip(self.z, rest, strict=False)
        ]
        bent = self._of_loss(moved)
        back = torch.autograd.grad(
            self.again, self.parameters, bent, retain_graph=True, allow_unused=True
        )
        second = rest[len(self.dummies) :]
        rows = zip(self.parameters, back, second, strict=True)
        return torch.cat([_sum(p, a, b).to(self.dtype) for p, a, b in rows])

    def _of_loss(self, moved: list[Tensor]) -> list[Tensor]:
        """The second derivative of the loss in the output, times a direction."""
        curved = [(u, m) for u, m in zip(self.u, moved, strict=True) if u.requires_grad]
        if not curved:
            return [torch.zeros_like(z) for z in self.z]
        found = torch.autograd.grad(
            [u for u, _ in curved],
            self.z,
            [m.to(u) for u, m in curved],
            retain_graph=True,
            allow_unused=True,
        )
        return [torch.zeros_like(z) if f is None else f for z, f in zip(self.z, found, strict=True)]


def _sum(p: Tensor, a: Tensor | None, b: Tensor | None) -> Tensor:
    out = torch.zeros_like(p)
    for part in (a, b):
        out = out if part is None else out + part
    return out.detach().reshape(-1)


def _outputs(value: Any) -> Iterator[Tensor]:
    """Float tensors with a graph, in their order."""
    if isinstance(value, Tensor):
        if value.is_floating_point() and value.requires_grad:
            yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _outputs(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _outputs(part)
