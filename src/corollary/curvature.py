"""Curvature of a loss: Hessian, Gauss-Newton, Fisher and KFAC, and what is measured of them.

Every function takes a model, a loss and data. What is measured of a matrix also takes an operator:
``trace(fisher(model, loss, data))``. Give part of the parameters, or training mode, by a
``Landscape(model, loss, data, parameters="head")`` in place of the three.

Example:
    >>> import torch
    >>> from torch import nn
    >>> from corollary import curvature
    >>> model, loss = nn.Linear(2, 1, bias=False), nn.MSELoss()
    >>> data = torch.tensor([[1.0, 0.0], [0.0, 3.0]]), torch.zeros(2, 1)
    >>> curvature.top_eigenpairs(model, loss, data, 2).values  # (2/n) x^T x = diag(1, 9)
    tensor([9., 1.])
    >>> round(curvature.trace(curvature.gauss_newton(model, loss, data)).estimate.value, 4)
    10.0
"""

from corollary import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
