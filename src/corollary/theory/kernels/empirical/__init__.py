"""Networks of finite width: tangent kernels of any module, and their linearisation."""

from corollary.theory.kernels.empirical.higher_order import Expanded
from corollary.theory.kernels.empirical.linearized import (
    Linearized,
    LinearizedFit,
    fit_linearized,
    lazy_gap,
)
from corollary.theory.kernels.empirical.measures import (
    Regime,
    alignment,
    effective_rank,
    kernel_drift,
    regime,
    target_alignment,
)
from corollary.theory.kernels.empirical.ntk import empirical_ntk, layerwise_ntk
from corollary.theory.kernels.empirical.products import TangentOperator, pull_back, push_forward

__all__ = [
    "Expanded",
    "Linearized",
    "LinearizedFit",
    "Regime",
    "TangentOperator",
    "alignment",
    "effective_rank",
    "empirical_ntk",
    "fit_linearized",
    "kernel_drift",
    "layerwise_ntk",
    "lazy_gap",
    "pull_back",
    "push_forward",
    "regime",
    "target_alignment",
]
