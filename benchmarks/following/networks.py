"""Changes to a network that advice asks for."""

import math

from real_bugs.bug import Arguments
from torch import nn


def replace_module(model: nn.Module, path: str, new: nn.Module) -> None:
    """Put a module in the place of another."""
    parent, _, name = path.rpartition(".")
    owner = model.get_submodule(parent)
    if isinstance(owner, nn.Sequential):
        owner[int(name)] = new
    else:
        setattr(owner, name, new)


def last_linear(model: nn.Module) -> tuple[str, nn.Linear]:
    """The last linear layer and its path."""
    return [(n, m) for n, m in model.named_modules() if isinstance(m, nn.Linear)][-1]


def remade_optimizer(a: Arguments) -> None:
    """An optimizer of the same kind and settings on all parameters of the network."""
    old = a["optimizer"]
    settings = {k: v for k, v in old.param_groups[0].items() if k in old.defaults}
    a["optimizer"] = type(old)(a["model"].parameters(), **settings)


def listed_modules(model: nn.Module) -> list[str]:
    """Turn plain lists of modules into ModuleLists; their names."""
    found = [
        key
        for key, value in vars(model).items()
        if isinstance(value, list) and value and isinstance(value[0], nn.Module)
    ]
    for key in found:
        layers = vars(model).pop(key)
        setattr(model, key, nn.ModuleList(layers))
    return found


def make_dense(model: nn.Module) -> list[str]:
    """He's start for all matrices that are zero; their paths."""
    found = []
    for name, p in model.named_parameters():
        if p.dim() > 1 and not bool(p.any()):
            nn.init.normal_(p, std=math.sqrt(2 / p[0].numel()))
            found.append(name)
    return found


def add_activations(model: nn.Module) -> str:
    """A ReLU after each linear layer but the last."""
    layers = [m for m in model.modules() if isinstance(m, nn.Linear)]
    for layer in layers[:-1]:
        layer.register_forward_hook(lambda _m, _i, out: out.relu())
    return "ReLU after each linear layer but the last"
