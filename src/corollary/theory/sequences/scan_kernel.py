"""The recurrence z_t = a_t z_{t-1} + b_t from left to right: compiled by numba, and in torch.

The compiled one is a function with a derivative of its own. The adjoint of a linear recurrence is
the same recurrence backwards in time, ``g_t = conj(a_{t+1}) g_{t+1} + dz_t``, and then ``db = g``
and ``da_t = conj(z_{t-1}) g_t``; all of it is written with the recurrence again, so derivatives of
any order follow. The kernel reads backwards itself: nothing is flipped in memory.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from corollary.theory.compiled import Backend, compiled

NUMBERS, STEPS = 1 << 14, 512  # from either on a compiled pass soon repays its start
KINDS = (torch.float32, torch.float64, torch.complex64, torch.complex128)


def recurrence(a: np.ndarray, b: np.ndarray, z: np.ndarray, backwards: bool) -> None:
    """Fill ``z`` on arrays of shape (N, T, d); to be compiled."""
    N, T, d = b.shape
    for i in range(N):
        if backwards:
            for j in range(d):
                z[i, T - 1, j] = b[i, T - 1, j]
            for t in range(T - 2, -1, -1):
                for j in range(d):
                    z[i, t, j] = a[i, t + 1, j] * z[i, t + 1, j] + b[i, t, j]
        else:
            for j in range(d):
                z[i, 0, j] = b[i, 0, j]
            for t in range(1, T):
                for j in range(d):
                    z[i, t, j] = a[i, t, j] * z[i, t - 1, j] + b[i, t, j]


def sequential(a: Tensor, b: Tensor, *, backend: Backend = "auto") -> Tensor:
    """All states, from the left, by the compiled kernel where that pays."""
    suits = a.device.type == "cpu" and a.dtype in KINDS
    worth_it = suits and (b.numel() >= NUMBERS or b.shape[-2] >= STEPS)
    if compiled(recurrence, backend, worth_it=worth_it) is None or not suits:
        return _loop(a, b)
    return _recurrence(a, b, False)


def _loop(a: Tensor, b: Tensor) -> Tensor:
    factors, terms = a.unbind(-2), b.unbind(-2)
    z = terms[0]
    out = [z]
    for factor, term in zip(factors[1:], terms[1:], strict=True):
        z = torch.addcmul(term, factor, z)
        out.append(z)
    return torch.stack(out, dim=-2)


class _Recurrence(torch.autograd.Function):
    """The compiled recurrence, forwards or backwards in time.

    Backwards it is ``z_t = a_{t+1} z_{t+1} + b_t``: the transpose of the forward one.
    """

    @staticmethod
    def forward(a: Tensor, b: Tensor, backwards: bool) -> Tensor:
        a, b = (x.detach().resolve_conj().resolve_neg().contiguous() for x in (a, b))
        z = torch.empty_like(b)
        shape = (-1, *b.shape[-2:])
        kernel = compiled(recurrence, "numba")
        kernel(*(x.reshape(shape).numpy() for x in (a, b)), z.view(shape).numpy(), backwards)
        return z

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor, bool], output: Tensor) -> None:
        a, _, ctx.backwards = inputs
        ctx.save_for_backward(a, output)
        ctx.save_for_forward(a, output)

    @staticmethod
    def backward(ctx: Any, dz: Tensor) -> tuple[Tensor, Tensor, None]:
        a, z = ctx.saved_tensors
        g = _recurrence(a.conj(), dz, not ctx.backwards)
        if ctx.backwards:  # a_{t+1} multiplied z_{t+1} on the way to z_t
            da = _later(g) * z.conj()
        else:
            da = g * _later(z.conj())
        return da, g, None

    @staticmethod
    def jvp(ctx: Any, ta: Tensor | None, tb: Tensor | None, _: Any) -> Tensor:
        a, z = ctx.saved_tensors
        tb = torch.zeros_like(z) if tb is None else tb
        if ta is not None:
            tb = tb + (_earlier(ta * z) if ctx.backwards else ta * _later(z))
        return _recurrence(a, tb, ctx.backwards)

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], a: Tensor, b: Tensor, backwards: bool) -> Any:
        def fronted(x: Tensor, dim: int | None) -> Tensor:
            return x.expand(info.batch_size, *x.shape) if dim is None else x.movedim(dim, 0)

        a, b = fronted(a, in_dims[0]), fronted(b, in_dims[1])
        return _recurrence(a, b, backwards), 0


def _recurrence(a: Tensor, b: Tensor, backwards: bool) -> Tensor:
    z: Tensor = _Recurrence.apply(a, b, backwards)  # type: ignore[no-untyped-call]  # of torch
    return z


def _later(x: Tensor) -> Tensor:
    """Everything one place later, with a zero in front."""
    return torch.cat([torch.zeros_like(x[..., :1, :]), x[..., :-1, :]], dim=-2)


def _earlier(x: Tensor) -> Tensor:
    """Everything one place earlier, with a zero at the end."""
    return torch.cat([x[..., 1:, :], torch.zeros_like(x[..., :1, :])], dim=-2)
