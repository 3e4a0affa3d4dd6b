"""Learning with kernels: flows in time, regression, and what infinitely wide networks learn."""

from corollary.theory.kernels.learning.flow import KernelFlow, kernel_flow, loss_flow
from corollary.theory.kernels.learning.solve import cholesky, conjugate_gradients
from corollary.theory.kernels.learning.wide import ntk_regress, wide_ensemble

__all__ = [
    "KernelFlow",
    "cholesky",
    "conjugate_gradients",
    "kernel_flow",
    "loss_flow",
    "ntk_regress",
    "wide_ensemble",
]
