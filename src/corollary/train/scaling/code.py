"""A change as code for the user's model and optimizer."""

from collections.abc import Callable, Iterator, Sequence

from torch.optim import Optimizer

from corollary.theory.scaling.depth import BRANCH, DepthRule
from corollary.train.scaling.change import Change

USUAL = {"betas": (0.9, 0.999), "eps": 1e-8, "momentum": 0, "nesterov": False}


def code_for(changes: Sequence[Change], base: int, optimizer: Optimizer) -> str:
    """Python that makes the change to ``model`` and makes its ``optimizer``.

    Example:
        >>> import torch
        >>> from corollary.theory.scaling.abc import ABC, Role
        >>> sgd = torch.optim.SGD([torch.zeros(1)], lr=0.1)
        >>> change = Change("head.weight", Role.OUTPUT, ABC(0, 0.5, 1))
        >>> print(code_for([change], 128, sgd))
        m = width / 128  # 128: the width at which the learning rate was chosen
        for name in ["head.weight"]:
            model.get_parameter(name).data.mul_(m**-0.5)  # initial scale
        parameters = dict(model.named_parameters())
        groups = []
        names = ["head.weight"]
        groups.append({"params": [parameters.pop(n) for n in names], "lr": 0.1 / m})
        groups.append({"params": list(parameters.values()), "lr": 0.1})
        optimizer = torch.optim.SGD(groups)
    """
    rate, decay = _rate_and_decay(optimizer)
    lines = [
        f"m = width / {base}  # {base}: the width at which the learning rate was chosen",
        *_initial_scales(changes),
        *_multipliers(changes),
        "parameters = dict(model.named_parameters())",
        "groups = []",
    ]
    for c, names in _by(changes, lambda change: change.by.c):
        lines.append(f"names = {_listed(names)}")
        lines.append(_group("[parameters.pop(n) for n in names]", rate, decay, c))
    lines.append(_group("list(parameters.values())", rate, decay, 0.0))
    return "\n".join([*lines, _made(optimizer)])


def depth_code(change: DepthRule, base: int, place: tuple[str, str], optimizer: Optimizer) -> str:
    """Python that scales the branches of blocks and makes the ``optimizer``.

    Args:
        change: What to add to the exponents.
        base: The depth at which the learning rate was chosen.
        place: The path of the blocks' container, and the name of their type.
        optimizer: What they are trained with.

    Example:
        >>> import torch
        >>> sgd = torch.optim.SGD([torch.zeros(1)], lr=0.1)
        >>> print(depth_code(DepthRule(0.5, 0.0), 4, ("blocks", "Block"), sgd))
        m = depth / 4  # 4: the depth at which the learning rate was chosen
        children = model.get_submodule("blocks").children()
        blocks = [child for child in children if type(child).__name__ == "Block"]
        for block in blocks:
            corollary.scaling.scale_branch(block, depth**-0.5)  # x + branch / sqrt(depth)
        inside = {p for block in blocks for p in block.parameters()}
        outside = [p for p in model.parameters() if p not in inside]
        groups = []
        groups.append({"params": list(inside), "lr": 0.1})
        groups.append({"params": outside, "lr": 0.1})
        optimizer = torch.optim.SGD(groups)
    """
    rate, decay = _rate_and_decay(optimizer)
    lines = [
        f"m = depth / {base}  # {base}: the depth at which the learning rate was chosen",
        f'children = model.get_submodule("{place[0]}").children()',
        f'blocks = [child for child in children if type(child).__name__ == "{place[1]}"]',
    ]
    if change.alpha:
        power = f"depth**{-change.alpha:g}"
        words = "x + branch / sqrt(depth)" if change.alpha == BRANCH else f"x + {power} * branch"
        lines.append("for block in blocks:")
        lines.append(f"    corollary.scaling.scale_branch(block, {power})  # {words}")
    lines += [
        "inside = {p for block in blocks for p in block.parameters()}",
        "outside = [p for p in model.parameters() if p not in inside]",
        "groups = []",
        _group("list(inside)", rate, decay, change.c),
        _group("outside", rate, decay, 0.0),
    ]
    return "\n".join([*lines, _made(optimizer)])


def _rate_and_decay(optimizer: Optimizer) -> tuple[float, float]:
    group = optimizer.param_groups[0]
    return float(group["lr"]), float(group.get("weight_decay") or 0.0)


def _made(optimizer: Optimizer) -> str:
    """The line that makes an optimizer of the same class and settings."""
    group = optimizer.param_groups[0]
    told = {k: group[k] for k, usual in USUAL.items() if k in group and group[k] != usual}
    settings = "".join(f", {key}={value}" for key, value in told.items())
    return f"optimizer = torch.optim.{type(optimizer).__name__}(groups{settings})"


def _initial_scales(changes: Sequence[Change]) -> Iterator[str]:
    for b, names in _by(changes, lambda change: change.by.b):
        yield f"for name in {_listed(names)}:"
        yield f"    model.get_parameter(name).data.mul_(m**{-b:g})  # initial scale"


def _multipliers(changes: Sequence[Change]) -> Iterator[str]:
    for change in changes:
        if change.scores:
            yield f'attention = model.get_submodule("{change.name}")'
            yield f"corollary.scaling.multiply_scores(attention, m**{-change.by.a:g})  # 1/d"
        elif change.by.a:
            layer = change.name.removesuffix(".weight")
            yield f'model.get_submodule("{layer}").register_forward_pre_hook('
            yield f"    lambda _, given: (given[0]{_times(-change.by.a)}, *given[1:])"
            yield ")  # it shares its matrix with an embedding"


def _group(parameters: str, rate: float, decay: float, c: float) -> str:
    lr = f'"lr": {rate:g}{_times(-c)}'
    more = f', "weight_decay": {decay:g}{_times(c)}' if decay else ""
    return f'groups.append({{"params": {parameters}, {lr}{more}}})'


def _by(
    changes: Sequence[Change], exponent: Callable[[Change], float]
) -> list[tuple[float, list[str]]]:
    """Names by their exponent, where it is not zero."""
    parts: dict[float, list[str]] = {}
    for change in changes:
        if exponent(change):
            parts.setdefault(exponent(change), []).append(change.name)
    return list(parts.items())


def _listed(names: list[str]) -> str:
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"


def _times(exponent: float) -> str:
    power = f"m**{abs(exponent):g}" if abs(exponent) != 1 else "m"
    return "" if exponent == 0 else f" {'*' if exponent > 0 else '/'} {power}"
