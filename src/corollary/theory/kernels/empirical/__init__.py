"""Networks of finite width: tangent kernels of any module, and their linearisation."""

from corollary.theory.kernels.empirical.ntk import empirical_ntk, layerwise_ntk

__all__ = ["empirical_ntk", "layerwise_ntk"]
