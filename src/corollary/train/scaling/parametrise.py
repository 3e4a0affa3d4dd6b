r"""Any parametrisation of wide networks on any module: exponents a, b and c made true.

Relative to a base, a matrix that is r times wider is drawn as normal numbers of standard deviation
:math:`r^{-b}/\sqrt{\text{fan-in of the base}}`, its layer's input is multiplied by :math:`r^{-a}`,
and its learning rate by :math:`r^{-c}`. At the base all parametrisations are the same network.

:source: Yang and Hu (2021), "Tensor programs IV: feature learning in infinite-width neural
    networks", Definition 3.1.
"""

import math
from collections.abc import Callable

import torch
from torch import nn

from corollary.theory.scaling.abc import Parametrisation, optimizer_kind
from corollary.train.scaling.change import multiply_inputs, ratio, split_groups
from corollary.train.scaling.roles import fans, growth, matrices, owned
from corollary.train.scaling.sizes import matrix_layers


def parametrise(
    model: nn.Module,
    base: nn.Module,
    parametrisation: Parametrisation,
    optimizer: type[torch.optim.Optimizer],
    lr: float,
) -> torch.optim.Optimizer:
    """Draw the weights anew, set multipliers, and make the optimizer.

    Args:
        model: Layers should have no biases, which multipliers of inputs would not reach.
        base: The same architecture at another width.
        parametrisation: Such as ``MUP``.
        optimizer: A class of torch.
        lr: The learning rate at the base.

    Example:
        >>> from corollary.theory.scaling.abc import MEAN_FIELD
        >>> wide, base = nn.Linear(64, 3, bias=False), nn.Linear(16, 3, bias=False)
        >>> sgd = parametrise(wide, base, MEAN_FIELD, torch.optim.SGD, lr=0.1)
        >>> sgd.param_groups[0]["lr"]  # four times wider, c = -1
        0.4
    """
    kind = optimizer_kind(optimizer.__name__)
    grown, small = growth(base, model), dict(owned(base))
    factors: dict[nn.Parameter, float] = {}
    for name, (_, parameter) in owned(model):
        abc, r = parametrisation.of(grown[name].role, kind), ratio(grown[name])
        factors[parameter] = r**-abc.c
        if parameter.dim() > 1:
            fan_in = fans(small[name].module, tuple(small[name].parameter.shape)).fan_in
            kernel = math.prod(parameter.shape[2:])
            nn.init.normal_(parameter, std=r**-abc.b / math.sqrt(fan_in * kernel))
    for path, layer in matrix_layers(model).items():
        main = next(iter(matrices(layer)))
        g = growth(base.get_submodule(path), layer)[main]
        abc = parametrisation.of(g.role, kind)
        if abc.a:
            multiply_inputs(layer, ratio(g) ** -abc.a)
    make: Callable[..., torch.optim.Optimizer] = optimizer
    groups = [{"params": list(model.parameters()), "lr": lr}]
    return make(split_groups(groups, factors))
