"""Check how a residual network scales with its depth, before a deep one is trained."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from torch import nn

from corollary.core.default_losses import Loss
from corollary.core.progress import Show
from corollary.core.recipe import Optimization, in_words
from corollary.core.subject import Subject
from corollary.theory.scaling.abc import Optimizer, Role, optimizer_kind
from corollary.theory.scaling.depth import DepthRule, Place, depth_exponents, transferring
from corollary.theory.scaling.exponents import Sizes as Predicted
from corollary.train.scaling.blocks import Blocks, blocks_of, branch_size, scale_branch
from corollary.train.scaling.change import split_groups
from corollary.train.scaling.check import check_numbers
from corollary.train.scaling.code import depth_code
from corollary.train.scaling.exponent import fitted
from corollary.train.scaling.judging import Status
from corollary.train.scaling.networks import Family
from corollary.train.scaling.result import WidthCheck
from corollary.train.scaling.sizes import measured
from corollary.train.scaling.summary import Runs, Summary

DEPTHS = (4, 8, 16, 32)


def depth_check(
    build: Callable[[int], Any],
    data: Any = None,
    *,
    depths: Sequence[int] = DEPTHS,
    seeds: int = 5,
    steps: int = 3,
    optimizer: Optimization | None = None,
    lr: float | None = None,
    loss: Loss | str | None = None,
    samples: int = 64,
    confirm: bool = True,
    seed: int = 0,
    progress: Show | None = None,
) -> WidthCheck:
    """Exponents of activations, updates and the output's change in the depth.

    As :func:`~corollary.train.scaling.check.width_check`, for a function of the number of residual
    blocks. Layers of the same name in all blocks are one row: the size of their activations, the
    mean change of each, and the change of the output by steps on all of them.

    Args:
        build: A function of the depth that gives a module, or a tuple as for ``width_check``. The
            blocks are children of one ``nn.ModuleList`` or ``nn.Sequential``.
        data: As for :func:`corollary.examine`, if ``build`` gives none.
        depths: At least four, growing.
        seeds: Networks of each depth; intervals are over them.
        steps: Of the optimizer.
        optimizer: As for :func:`corollary.examine`; Adam if neither it nor ``lr`` is given.
        lr: Learning rate.
        loss: As for :func:`corollary.examine`.
        samples: Size of the batch.
        confirm: Repeat the check with the change that is proposed, where there is one.
        seed: Where all randomness comes from.
        progress: Told what is measured, and how many networks are.

    Raises:
        InputError: if depths or networks do not fit.

    :source: Yang, Yu, Zhu and Hayou (2023), "Tensor programs VI: feature learning in infinite-depth
        neural networks"; the split by layers and the intervals are ours.
    """
    check_numbers("depths", depths, seeds, steps)
    family = Family(build, data, loss, optimizer, lr, samples, seed)
    first = family.member(depths[0])
    blocks, made = blocks_of(first.model, family.member(depths[-1]).model), first.recipe.optimizer
    assert made is not None, "a network with blocks has parameters"
    kind = optimizer_kind(type(made).__name__)
    summary = Summary(first.name, in_words(made), tuple(depths), seeds, steps)
    theory = _theory(first.model, kind)

    def runs(change: DepthRule | None = None) -> Runs:
        found, before = [], 0 if change is None else len(depths) * seeds
        text = "as it is" if change is None else "with the change"
        for subject, depth in _members(family, depths, seeds):
            if change is not None:
                _apply(change, subject, blocks, depth, depths[0])
            found.append(measured(subject, steps, blocks.together(subject.model)))
            if progress is not None:
                progress(text, before + len(found))
        return [found[k : k + len(depths)] for k in range(0, len(found), len(depths))]

    check = _check_of(summary, runs(), theory)
    if check.status is Status.TRANSFERS:
        return check
    change = _change(family, depths, blocks, kind)
    check = replace(check, code=depth_code(change, depths[0], blocks.place, made))
    return replace(check, confirmed=_check_of(summary, runs(change), theory)) if confirm else check


def _members(family: Family, depths: Sequence[int], seeds: int) -> Iterator[tuple[Subject, int]]:
    for k in range(seeds):
        for depth in depths:
            yield family.member(depth, k), depth


class _Theory(NamedTuple):
    """Theory's exponents of layers in blocks and outside them, without and with scaled branches."""

    repeated: dict[str, Predicted]
    once: dict[str, Predicted]


def _theory(model: nn.Module, kind: Optimizer) -> _Theory:
    names = [type(module).__name__ for module in model.modules()]
    norms = any("Norm" in name for name in names)
    rules = {"unscaled": DepthRule(0.0, 0.0), "1/sqrt(L)": transferring(kind)}
    about = {"norms": norms, "last_norm": norms}
    repeated = {key: depth_exponents(rule, kind, **about) for key, rule in rules.items()}
    unknown, flat = Predicted(*[math.nan] * 4), Predicted(0.0, 0.0, 0.0, 0.0)
    return _Theory(repeated, {"unscaled": unknown, "1/sqrt(L)": flat})


def _check_of(summary: Summary, found: Runs, theory: _Theory) -> WidthCheck:
    output = [[m.output for m in row] for row in found]
    logits = summary.exponent([[s.activation for s in row] for row in output])
    rows = []
    for name in found[0][0].layers:
        sizes = [[m.layers[name] for m in row] for row in found]
        place = Place.REPEATED if "*" in name.split(".") else Place.ONCE
        row = summary.row(name or "the network", place, sizes, logits)
        known = theory.repeated if place is Place.REPEATED else theory.once
        rows.append(replace(row, theory=known))
    rows[-1] = replace(rows[-1], output=True)
    whole = summary.row("all layers together", Role.OUTPUT, output, logits)
    about = (summary.module, summary.optimizer, summary.sizes, summary.seeds, summary.steps)
    return WidthCheck(*about, tuple(rows), replace(whole, output=True), along="depth")


def _change(family: Family, depths: Sequence[int], blocks: Blocks, kind: Optimizer) -> DepthRule:
    """What to add to the exponents of the branches and of the learning rates of blocks."""
    sizes, rates = [], []
    for depth in depths:
        subject = family.member(depth)
        block = blocks.of(subject.model)[0]
        mine = {id(p) for p in block.parameters()}
        sizes.append(branch_size(subject, block))
        made = subject.recipe.optimizer
        assert made is not None
        groups = [g for g in made.param_groups if any(id(p) in mine for p in g["params"])]
        rates.append(float(groups[0]["lr"]))
    wanted = transferring(kind)
    now = [-fitted(depths, [values]).nearest for values in (sizes, rates)]
    return DepthRule(wanted.alpha - now[0], wanted.c - now[1])


def _apply(change: DepthRule, subject: Subject, blocks: Blocks, depth: int, base: int) -> None:
    """Scale branches by the depth itself, and learning rates relative to the base.

    Without norms the size of the last block's output is (1 + q/L)^(L/2) for branches of the square
    q/L: it depends less on L if q is of order one than if it is as large as the smallest depth.
    """
    optimizer, factors = subject.recipe.optimizer, dict[nn.Parameter, float]()
    for block in blocks.of(subject.model):
        scale_branch(block, depth**-change.alpha)
        factors |= dict.fromkeys(block.parameters(), (depth / base) ** -change.c)
    if optimizer is not None:
        optimizer.param_groups[:] = split_groups(optimizer.param_groups, factors)
