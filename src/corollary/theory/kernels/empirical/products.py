r"""Products with the Jacobian of a network, without the Jacobian.

:math:`J^\top v` is one backward pass. :math:`J\delta` is the derivative of
:math:`\langle J^\top u, \delta\rangle` with respect to u; for layers without second derivatives
it is one pass with forward derivatives (whose first use in a process costs torch some seconds).
"""

from collections.abc import Callable, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.func import functional_call, jvp

from corollary.errors import InputError
from corollary.theory.kernels.empirical.samples import Inputs, Read, count, evaluate, rows
from corollary.theory.modules.differentiable import differentiable

if TYPE_CHECKING:
    from scipy.sparse.linalg import LinearOperator


def trainable(model: nn.Module) -> dict[str, nn.Parameter]:
    """The parameters that the tangent kernel is about, by name."""
    found = {k: p for k, p in model.named_parameters() if p.requires_grad}
    if not found:
        raise InputError(f"{type(model).__name__} has no trainable parameters")
    return found


def outputs_at(
    model: nn.Module, values: dict[str, Tensor], x: Inputs, read: Read | None = None
) -> Tensor:
    """Outputs (n, c) with some parameters replaced."""

    def call(*args: Any, **named: Any) -> Any:
        return functional_call(model, values, args, named)

    return evaluate(call, x, read, type(model).__name__)


def pull_back(model: nn.Module, x: Inputs, v: Tensor, read: Read | None = None) -> list[Tensor]:
    r""":math:`J^\top v` for v of shape (n, c): one tensor for each trainable parameter.

    Example:
        >>> layer = nn.Linear(2, 1, bias=False)
        >>> pull_back(layer, torch.tensor([[1.0, 2.0]]), torch.ones(1, 1))[0].tolist()
        [[1.0, 2.0]]
    """
    parameters = list(trainable(model).values())
    with torch.enable_grad():
        f = evaluate(model, x, read, type(model).__name__)
    return list(torch.autograd.grad(f, parameters, v.reshape(f.shape), materialize_grads=True))


def push_forward(
    model: nn.Module,
    x: Inputs,
    delta: Sequence[Tensor],
    read: Read | None = None,
    *,
    names: Sequence[str] | None = None,
) -> tuple[Tensor, Tensor]:
    r"""Outputs (n, c), and :math:`J\delta` for a change of the trainable parameters.

    Both can be differentiated with respect to ``delta``, which belongs to the parameters called
    ``names``, or to all trainable ones.

    Example:
        >>> layer = nn.Linear(2, 1, bias=False)
        >>> push_forward(layer, torch.eye(2), [torch.tensor([[3.0, 4.0]])])[1].tolist()
        [[3.0], [4.0]]

    :covers: linearized-network
    """
    names = list(trainable(model)) if names is None else names
    held = dict(model.named_parameters())
    values = tuple(held[name].detach() for name in names)

    def f(*at: Tensor) -> Tensor:
        return outputs_at(model, dict(zip(names, at, strict=True)), x, read)

    with differentiable():
        try:
            return _double_reverse(f, values, delta)
        except (NotImplementedError, RuntimeError):  # a layer without second derivatives
            out, product = jvp(f, values, tuple(delta))[:2]
            return out, product


def _double_reverse(
    f: Callable[..., Tensor], values: tuple[Tensor, ...], delta: Sequence[Tensor]
) -> tuple[Tensor, Tensor]:
    with torch.enable_grad():
        leaves = [p.clone().requires_grad_() for p in values]
        out = f(*leaves)
        u = torch.zeros_like(out, requires_grad=True)
        back = torch.autograd.grad(out, leaves, u, create_graph=True, materialize_grads=True)
        terms = ((b * d).sum() for b, d in zip(back, delta, strict=True))
        product = reduce(torch.add, terms)
        (jd,) = torch.autograd.grad(product, u, create_graph=any(d.requires_grad for d in delta))
    return out.detach(), jd


class TangentOperator:
    r"""The tangent kernel as products :math:`v \mapsto J(J^\top v)`, for many samples and outputs.

    Needs memory of a training step on ``block`` samples, never the matrix. The module must be in
    the mode in which it is to be read, and must not change meanwhile.

    Example:
        >>> k = TangentOperator(nn.Linear(1, 1), torch.tensor([[2.0], [3.0]]))
        >>> (k @ torch.tensor([1.0, 0.0])).tolist()
        [5.0, 7.0]
    """

    def __init__(
        self, model: nn.Module, x: Inputs, *, read: Read | None = None, block: int = 1024
    ) -> None:
        self.model, self.x, self.read = model, x, read
        n = count(x)
        self.blocks = [slice(i, min(i + block, n)) for i in range(0, n, block)]
        with torch.no_grad():
            f = evaluate(model, rows(x, slice(0, 1)), read, type(model).__name__)
        self.n, self.c, self.dtype = n, f.shape[1], f.dtype
        self.shape = (n * self.c, n * self.c)

    def __repr__(self) -> str:
        return (
            f"tangent kernel of {type(self.model).__name__} as an operator, {self.shape[0]} x "
            f"{self.shape[1]}"
        )

    def __matmul__(self, v: Tensor) -> Tensor:
        """K v for v of n c numbers, the outputs of a sample side by side."""
        if v.numel() != self.shape[0]:
            raise InputError(
                f"the operator is {self.shape}, but the vector has {v.numel()} entries"
            )
        w = v.reshape(self.n, self.c).to(self.dtype)
        parts = [pull_back(self.model, rows(self.x, b), w[b], self.read) for b in self.blocks]
        delta = [torch.stack(column).sum(0) for column in zip(*parts, strict=True)]
        out = [push_forward(self.model, rows(self.x, b), delta, self.read)[1] for b in self.blocks]
        return torch.cat(out).detach().reshape(v.shape)

    def scipy(self) -> "LinearOperator":
        """The same as a symmetric ``scipy.sparse.linalg.LinearOperator``."""
        from scipy.sparse.linalg import LinearOperator

        def product(v: Any) -> Any:
            return (self @ torch.as_tensor(v).flatten()).numpy()

        dtype = torch.empty(0, dtype=self.dtype).numpy().dtype
        return LinearOperator(self.shape, matvec=product, rmatvec=product, dtype=dtype)
