"""Curvature of any module's loss: operators, inverses, eigenvalues, trace, steps, noise, slices.

Everything random carries an interval or its spread, every eigenvalue its residual, and every
result says by which path its derivatives were computed. Every function takes a model, a loss and
data, or a :class:`Landscape` of them, or (what is measured) an operator.

Example:
    >>> import torch
    >>> from torch import nn
    >>> model, loss = nn.Linear(2, 1, bias=False), nn.MSELoss()
    >>> data = torch.tensor([[1.0, 0.0], [0.0, 3.0]]), torch.zeros(2, 1)
    >>> print(top_eigenpairs(model, loss, data, 2).values)  # (2/n) x^T x = diag(1, 9)
    tensor([9., 1.])
    >>> H = hessian(model, loss, data)
    >>> round(largest_stable_step(H).step.value, 4)
    0.2222
"""

from corollary.theory.landscape.curvature.density import (
    LogDensity,
    SpectralDensity,
    spectral_density,
)
from corollary.theory.landscape.curvature.diagonal import Diagonal, diagonal
from corollary.theory.landscape.curvature.edge import EdgeOfStability, Sharpening
from corollary.theory.landscape.curvature.eigen import EigenPairs, top_eigenpairs
from corollary.theory.landscape.curvature.extremes import (
    CriticalPoint,
    Extremes,
    critical_point,
    extreme_eigenvalues,
)
from corollary.theory.landscape.curvature.fisher import EmpiricalFisher, TrueFisher, fisher
from corollary.theory.landscape.curvature.frobenius import (
    SquaredFrobeniusNorm,
    squared_frobenius_norm,
)
from corollary.theory.landscape.curvature.gauss_newton import GaussNewton, gauss_newton
from corollary.theory.landscape.curvature.hessian import Hessian, hessian
from corollary.theory.landscape.curvature.interval import Estimate
from corollary.theory.landscape.curvature.inverse import Inverse, inverse
from corollary.theory.landscape.curvature.kfac import kfac
from corollary.theory.landscape.curvature.kronecker import Kronecker
from corollary.theory.landscape.curvature.landscape import Landscape
from corollary.theory.landscape.curvature.lsmr import LsmrInverse, lsmr_inverse
from corollary.theory.landscape.curvature.neumann import NeumannInverse, neumann_inverse
from corollary.theory.landscape.curvature.noise_scale import NoiseScale, noise_scale
from corollary.theory.landscape.curvature.operator import Curvature, Explicit
from corollary.theory.landscape.curvature.slices import (
    Slice,
    filter_normalised_direction,
    loss_slice,
)
from corollary.theory.landscape.curvature.step import (
    Sharpness,
    StableStep,
    largest_stable_step,
    sharpness,
)
from corollary.theory.landscape.curvature.submatrix import Submatrix, submatrix
from corollary.theory.landscape.curvature.trace import Trace, trace

__all__ = [
    "CriticalPoint",
    "Curvature",
    "Diagonal",
    "EdgeOfStability",
    "EigenPairs",
    "EmpiricalFisher",
    "Estimate",
    "Explicit",
    "Extremes",
    "GaussNewton",
    "Hessian",
    "Inverse",
    "Kronecker",
    "Landscape",
    "LogDensity",
    "LsmrInverse",
    "NeumannInverse",
    "NoiseScale",
    "Sharpening",
    "Sharpness",
    "Slice",
    "SpectralDensity",
    "SquaredFrobeniusNorm",
    "StableStep",
    "Submatrix",
    "Trace",
    "TrueFisher",
    "critical_point",
    "diagonal",
    "extreme_eigenvalues",
    "filter_normalised_direction",
    "fisher",
    "gauss_newton",
    "hessian",
    "inverse",
    "kfac",
    "largest_stable_step",
    "loss_slice",
    "lsmr_inverse",
    "neumann_inverse",
    "noise_scale",
    "sharpness",
    "spectral_density",
    "squared_frobenius_norm",
    "submatrix",
    "top_eigenpairs",
    "trace",
]
