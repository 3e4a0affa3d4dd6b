"""Kernels of networks: the tangent kernel of a module, and those of its infinitely wide version.

* ``infinite(model)``: the architecture of a module at infinite width; ``.kernel(x)`` has its NNGP
  and its NTK.
* ``ntk(model, x)``: the tangent kernel of the module itself, at its present weights.
* ``ntk_regress(infinite(model), x, y, at)``: what the wide network predicts after training.

Without a module, put layers together: ``network(Dense(), Relu(), Dense())``.

Example:
    >>> import torch
    >>> from torch import nn
    >>> from corollary import kernels
    >>> model, x = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1)), torch.eye(2)
    >>> kernels.infinite(model).kernel(x).ntk.shape, kernels.ntk(model, x).shape
    (torch.Size([2, 2]), torch.Size([2, 2]))
    >>> wide = kernels.network(kernels.Dense(), kernels.Relu(), kernels.Dense())
    >>> wide.kernel(x).nngp.diagonal()  # E relu(u)^2 for u of variance 1/2
    tensor([0.2500, 0.2500])
"""

from corollary import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
