r"""Kernels of infinitely wide networks for GPyTorch.

GPyTorch is optional: it is imported when a kernel is made. The spreads :math:`\sigma_w` and
:math:`\sigma_b` are positive parameters, learned by the evidence like any other.
"""

from collections.abc import Callable
from typing import Any, Literal

import torch
from torch import Tensor

from corollary.errors import MissingExtraError
from corollary.theory.kernels.infinite import Network

Make = Callable[[Tensor, Tensor], Network]


def gpytorch_kernel(
    make: Make,
    *,
    sigma_w: float = 1.5,
    sigma_b: float = 0.1,
    which: Literal["nngp", "ntk"] = "nngp",
) -> Any:
    """A ``gpytorch.kernels.Kernel`` of an architecture.

    Args:
        make: From sigma_w and sigma_b (tensors) to a network, as
            ``lambda w, b: network(Dense(w, b), Relu(), Dense(w, b))``.
        sigma_w: Spread of the weights at the start.
        sigma_b: Spread of the biases at the start; must be positive.
        which: ``nngp`` is the prior of a Bayesian network, ``ntk`` that of a trained one.
    """
    try:
        from gpytorch.constraints import Positive
        from gpytorch.kernels import Kernel
    except ImportError:
        raise MissingExtraError(
            "this kernel is for GPyTorch, which is not installed: pip install gpytorch"
        ) from None

    class WideNetworkKernel(Kernel):
        """The kernel of an infinitely wide network; see :func:`gpytorch_kernel`."""

        def __init__(self) -> None:
            super().__init__()
            for name, value in (("raw_sigma_w", sigma_w), ("raw_sigma_b", sigma_b)):
                self.register_parameter(name, torch.nn.Parameter(torch.zeros(1)))
                self.register_constraint(name, Positive())
                raw = getattr(self, f"{name}_constraint").inverse_transform(torch.tensor([value]))
                self.initialize(**{name: raw})

        @property
        def sigma_w(self) -> Tensor:
            return self.raw_sigma_w_constraint.transform(self.raw_sigma_w).squeeze()

        @property
        def sigma_b(self) -> Tensor:
            return self.raw_sigma_b_constraint.transform(self.raw_sigma_b).squeeze()

        def forward(self, x1: Tensor, x2: Tensor, diag: bool = False, **_: Any) -> Tensor:
            net = make(self.sigma_w, self.sigma_b)
            same = x1 is x2 or torch.equal(x1, x2)
            k = getattr(net.kernel(x1, None if same else x2), which).to(x1.dtype)
            return k.diagonal() if diag else k

    return WideNetworkKernel()
