r"""Maximal update parametrisation (muP) of any module, without rewriting it.

Relative to a narrow ``base`` of the same architecture, a parameter that is :math:`m` times wider
gets the initial scale, learning rate and weight decay of muP; layers from the width to a fixed size
get a multiplier :math:`1/m` of their input, and attention divides by :math:`d` in place of
:math:`\sqrt d`. At the base itself nothing changes. Multipliers are hooks: names and values of the
state dict stay as they are.

:source: Yang, Hu, Babuschkin et al. (2022), "Tensor programs V", Definition 4.1 and Table 8.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from corollary.errors import InputError
from corollary.theory.scaling.abc import ABC, Optimizer, Role, optimizer_kind
from corollary.theory.scaling.transfer import correction
from corollary.train.scaling.attention import multiply_scores, score_factors
from corollary.train.scaling.change import (
    Change,
    multiply_inputs,
    rate_factors,
    ratio,
    rescale,
    split_groups,
)
from corollary.train.scaling.roles import Growth, Owned, growth, matrices, owned
from corollary.train.scaling.sizes import matrix_layers

MARK = "_corollary_mup"  # on a module whose weights and inputs are scaled already


@dataclass(frozen=True)
class Mup:
    """What :func:`mup` has set, and the parameter groups that belong to it."""

    model: nn.Module
    grown: Mapping[str, Growth]
    scales: Mapping[str, float]  # factors of the initial weights
    multipliers: Mapping[str, float]  # of what a layer is given, or of attention scores

    def rates(self, optimizer: type[torch.optim.Optimizer] | str) -> dict[str, float]:
        """Factors of the learning rate by parameter; weight decay is divided by them."""
        names = {parameter: name for name, (_, parameter) in owned(self.model)}
        return {names[p]: factor for p, factor in self._factors(optimizer).items()}

    def groups(
        self, optimizer: type[torch.optim.Optimizer] | str, lr: float, **settings: Any
    ) -> list[dict[str, Any]]:
        """Parameter groups with a learning rate each, for the optimizer that is named."""
        trained = [p for p in self.model.parameters() if p.requires_grad]
        return split_groups([{"params": trained, "lr": lr} | settings], self._factors(optimizer))

    def optimizer(
        self, optimizer: type[torch.optim.Optimizer], lr: float, **settings: Any
    ) -> torch.optim.Optimizer:
        """An optimizer of this class with these groups."""
        make: Callable[..., torch.optim.Optimizer] = optimizer
        return make(self.groups(optimizer, lr, **settings))

    def _factors(self, optimizer: type[torch.optim.Optimizer] | str) -> dict[nn.Parameter, float]:
        name = optimizer if isinstance(optimizer, str) else optimizer.__name__
        kind = optimizer_kind(name)
        changes = [Change(n, g.role, _change(g.role, kind)) for n, g in self.grown.items()]
        return rate_factors(self.model, changes, self.grown, kind)

    def __str__(self) -> str:
        adam, sgd = self.rates("adam"), self.rates("sgd")
        lines = [f"{'parameter':32}  {'role':8}  {'initial':>8}  {'lr Adam':>8}  {'lr SGD':>8}"]
        for name, g in self.grown.items():
            numbers = (self.scales.get(name, 1.0), adam[name], sgd[name])
            row = "".join(f"  {number:>8.4g}" for number in numbers)
            lines.append(f"{name:32}  {g.role.value:8}{row}")
        lines += [f"multiplier of {name}: {m:.4g}" for name, m in self.multipliers.items()]
        return "\n".join(lines)

    __repr__ = __str__


def mup(model: nn.Module, base: nn.Module, *, initial: bool = True) -> Mup:
    """Set a module up to train as under muP, so that it takes over the base's learning rate.

    Linear layers, convolutions, embeddings, norms, ``nn.MultiheadAttention``, the attention of
    transformers (a module with ``head_dim`` and ``scaling``) and outputs that share their matrix
    with an embedding are recognised. Attention that is written by hand has to divide by d itself.

    Args:
        model: The module to train; its weights are those it was built with.
        base: The same architecture at the width at which the learning rate was chosen.
        initial: Whether the initial weights are rescaled; not for weights that were loaded.

    Raises:
        InputError: if the two have different parameters, or the model was set up before.

    Example:
        >>> def build(n):
        ...     return nn.Sequential(nn.Linear(3, n), nn.ReLU(), nn.Linear(n, n), nn.Linear(n, 2))
        >>> wide = build(64)
        >>> found = mup(wide, build(16))
        >>> found.rates("adam")["2.weight"], found.rates("sgd")["0.weight"]
        (0.25, 4.0)
        >>> found.multipliers
        {'3': 0.25}
        >>> optimizer = found.optimizer(torch.optim.AdamW, lr=1e-3, weight_decay=0.1)
    """
    if hasattr(model, MARK):
        raise InputError("expected a module that mup has not been applied to, got one that it has")
    grown = growth(base, model)
    scales = _initial_scales(model, base, grown) if initial else {}
    rescale(model, scales)
    multipliers = _multiply_outputs(model, base)
    for name, factor in score_factors(model, base).items():
        multiply_scores(model.get_submodule(name), factor)
        multipliers[name] = factor
    setattr(model, MARK, True)
    return Mup(model, grown, scales, multipliers)


def _change(role: Role, kind: Optimizer, b: float | None = None) -> ABC:
    """To muP with a multiplier at outputs, from no multiplier, initial scale b and one lr."""
    now = ABC(0.0, role.f / 2 if b is None else b, 0.0)
    return correction(role, kind, now, multiplier=float(role is Role.OUTPUT))


def _initial_scales(
    model: nn.Module, base: nn.Module, grown: Mapping[str, Growth]
) -> dict[str, float]:
    """Factors that give every initial scale the exponent of muP, whatever it has now."""
    small, large = dict(owned(base)), dict(owned(model))
    found = {}
    for name, g in grown.items():
        b = _scale_exponent(small[name], large[name], g)
        if b is not None:
            factor = ratio(g) ** -_change(g.role, Optimizer.ADAM, b).b
            if factor != 1:
                found[name] = factor
    return found


def _scale_exponent(small: Owned, large: Owned, g: Growth) -> float | None:
    """By which power of the width the initial scale falls, to the nearest 1/2; None if unknown."""
    sizes = [float(o.parameter.detach().float().square().mean().sqrt()) for o in (small, large)]
    if ratio(g) == 1 or min(sizes) == 0:
        return None
    return round(2 * math.log(sizes[0] / sizes[1]) / math.log(ratio(g))) / 2


def _multiply_outputs(model: nn.Module, base: nn.Module) -> dict[str, float]:
    """Divide what output layers are given by how much wider it is."""
    found = {}
    for name, layer in matrix_layers(model).items():
        there = base.get_submodule(name)
        mine = matrices(layer)
        g = growth(there, layer)[max(mine, key=lambda key: mine[key].numel())]
        if g.role is Role.OUTPUT:
            found[name] = 1 / g.fan_in
            multiply_inputs(layer, found[name])
    return found
