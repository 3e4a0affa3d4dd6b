r"""Kernels of infinitely wide networks for GPyTorch.

GPyTorch is optional: it is imported when a kernel is made. The spreads :math:`\sigma_w` and
:math:`\sigma_b` are positive parameters, learned by the evidence like any other; they are read and
set as ``kernel.sigma_w`` and ``kernel.sigma_b``. Inputs are vectors in rows; batches of them,
``(batch, n, d)``, are computed one after the other.
"""

from collections.abc import Callable
from typing import Any, Literal

import torch
from torch import Tensor

from corollary.errors import InputError, MissingExtraError
from corollary.theory.kernels.infinite import Kernels, Network

Make = Callable[[Tensor, Tensor], Network]


def gpytorch_kernel(
    make: Make,
    *,
    sigma_w: float = 1.5,
    sigma_b: float = 0.1,
    which: Literal["nngp", "ntk"] = "nngp",
) -> Any:
    """A ``gpytorch.kernels.Kernel`` of an architecture, to stand in any model of GPyTorch.

    Args:
        make: From sigma_w and sigma_b (tensors) to a network, as
            ``lambda w, b: network(Dense(w, b), Relu(), Dense(w, b))``.
        sigma_w: Spread of the weights at the start; must be positive.
        sigma_b: Spread of the biases at the start; must be positive.
        which: ``nngp`` is the prior of a Bayesian network, ``ntk`` that of a trained one.
    """
    if not (sigma_w > 0 and sigma_b > 0):
        raise InputError(
            f"sigma_w and sigma_b must be positive to be learned, got sigma_w={sigma_w}, "
            f"sigma_b={sigma_b}; to omit the bias, use Dense(w) in make"
        )
    if which not in ("nngp", "ntk"):
        raise InputError(f"which must be nngp or ntk, got '{which}'")
    try:
        from gpytorch.constraints import Positive
        from gpytorch.kernels import Kernel
    except ImportError:
        raise MissingExtraError(
            "this kernel needs GPyTorch, which is not installed; run pip install gpytorch"
        ) from None

    class WideNetworkKernel(Kernel):  # type: ignore[misc]  # GPyTorch has no types
        """The kernel of an infinitely wide network; see :func:`gpytorch_kernel`."""

        def __init__(self) -> None:
            super().__init__()
            for name, value in (("sigma_w", sigma_w), ("sigma_b", sigma_b)):
                self.register_parameter(f"raw_{name}", torch.nn.Parameter(torch.zeros(1)))
                self.register_constraint(f"raw_{name}", Positive())
                self._set(name, value)

        def _get(self, name: str) -> Tensor:
            raw = getattr(self, f"raw_{name}")
            value: Tensor = getattr(self, f"raw_{name}_constraint").transform(raw)
            return value.squeeze()

        def _set(self, name: str, value: Any) -> None:
            raw = getattr(self, f"raw_{name}")
            value = torch.as_tensor(value).to(raw).reshape(1)
            undo = getattr(self, f"raw_{name}_constraint").inverse_transform
            self.initialize(**{f"raw_{name}": undo(value)})

        @property
        def sigma_w(self) -> Tensor:
            return self._get("sigma_w")

        @sigma_w.setter
        def sigma_w(self, value: Any) -> None:
            self._set("sigma_w", value)

        @property
        def sigma_b(self) -> Tensor:
            return self._get("sigma_b")

        @sigma_b.setter
        def sigma_b(self, value: Any) -> None:
            self._set("sigma_b", value)

        def forward(self, x1: Tensor, x2: Tensor, diag: bool = False, **_: Any) -> Tensor:
            if x1.ndim > 2 or x2.ndim > 2:
                batch = torch.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])
                rows = (x.expand(*batch, *x.shape[-2:]).flatten(0, -3) for x in (x1, x2))
                parts = [self.forward(a, b, diag=diag) for a, b in zip(*rows, strict=True)]
                return torch.unflatten(torch.stack(parts), 0, batch)
            net, ntk = make(self.sigma_w, self.sigma_b), which == "ntk"
            same = x1 is x2 or torch.equal(x1, x2)
            if diag:
                state = net.run(x1, x2, ntk=ntk, paired=True, same=0 if same else None)
                return Kernels(state.nngp, state.ntk).of(which).to(x1.dtype)
            return net.kernel(x1, None if same else x2, ntk=ntk).of(which).to(x1.dtype)

    return WideNetworkKernel()
