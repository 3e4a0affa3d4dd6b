"""Check how a network scales with its width, before a large one is trained."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from corollary.core.default_losses import Loss
from corollary.core.progress import Show
from corollary.core.recipe import Optimization, in_words
from corollary.errors import InputError
from corollary.theory.scaling.abc import ABC, PARAMETRISATIONS, Optimizer, Role, optimizer_kind
from corollary.train.scaling.advice import changes_for
from corollary.train.scaling.attention import score_factors
from corollary.train.scaling.change import Change
from corollary.train.scaling.code import code_for
from corollary.train.scaling.judging import Status
from corollary.train.scaling.networks import Applied, Family
from corollary.train.scaling.result import LayerScaling, WidthCheck
from corollary.train.scaling.roles import growth
from corollary.train.scaling.structure import Layer, reference, structure
from corollary.train.scaling.summary import Runs, Summary

WIDTHS = (128, 256, 512, 1024)


def width_check(
    build: Callable[[int], Any],
    data: Any = None,
    *,
    widths: Sequence[int] = WIDTHS,
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
    """Exponents of activations, updates and the output's change in the width, and what they mean.

    Networks of every width are built and trained for a few steps on one batch: with small steps,
    whose changes are derivatives, and with the user's own. All work is done in float64, without
    dropout and weight decay.

    Args:
        build: A function of the width that gives a module, or a tuple of a module with data, or
            with an optimizer on its parameters, or both. It draws from torch's global generator,
            which is seeded for it.
        data: As for :func:`corollary.examine`, if ``build`` gives none.
        widths: At least four, growing.
        seeds: Networks of each width; intervals are over them.
        steps: Of the optimizer.
        optimizer: As for :func:`corollary.examine`; Adam if neither it nor ``lr`` is given.
        lr: Learning rate.
        loss: As for :func:`corollary.examine`.
        samples: Size of the batch.
        confirm: Repeat the check with the change that is proposed, where there is one.
        seed: Where all randomness comes from.
        progress: Told what is measured, and how many networks are.

    Raises:
        InputError: if widths or networks do not fit.

    Example:
        >>> import torch
        >>> from torch import nn
        >>> x = torch.randn(16, 4, generator=torch.Generator().manual_seed(0))
        >>> def build(width):
        ...     return nn.Sequential(nn.Linear(4, width), nn.ReLU(), nn.Linear(width, 1))
        >>> found = width_check(build, (x, x[:, :1]), lr=0.1, widths=(64, 128, 256, 512))
        >>> found.status.value, found.confirmed.status.value
        ('blows up', 'transfers')

    :source: Yang, Hu, Babuschkin et al. (2022), "Tensor programs V", Appendix D.1 (coordinate
        check); the split by layers and the intervals are ours.
    """
    check_numbers("widths", widths, seeds, steps)
    family = Family(build, data, loss, optimizer, lr, samples, seed)
    small, large = family.member(widths[0]), family.member(widths[-1])
    grown, made = growth(small.model, large.model), small.recipe.optimizer
    if made is None or all(g.role is Role.CONSTANT for g in grown.values()):
        raise InputError(
            "expected a network whose layers grow with the width, got one of constant size"
        )
    kind = optimizer_kind(type(made).__name__)
    summary = Summary(small.name, in_words(made), tuple(widths), seeds, steps)
    layers = structure(small, large.model)

    def runs(applied: Applied | None = None) -> Runs:
        found, before = [], 0 if applied is None else len(widths) * seeds
        text = "as it is" if applied is None else "with the change"
        for network in family.measured(widths, seeds, steps, applied):
            found.append(network)
            if progress is not None:
                progress(text, before + len(found))
        return [found[k : k + len(widths)] for k in range(0, len(found), len(widths))]

    found = runs()
    check = _check_of(summary, kind, layers, found)
    if check.status is Status.TRANSFERS:
        return check
    changes = changes_for(layers, grown, check, found, kind)
    heads = score_factors(large.model, small.model)
    changes += [Change(name, Role.CONSTANT, ABC(0.5, 0.0, 0.0), scores=True) for name in heads]
    check = replace(check, changes=tuple(changes), code=code_for(changes, widths[0], made))
    if not confirm:
        return check
    again = runs(Applied(changes, small.model))
    return replace(check, confirmed=_check_of(summary, kind, layers, again))


def check_numbers(what: str, sizes: Sequence[int], seeds: int, steps: int) -> None:
    """Refuse sizes that no exponent can be fitted to."""
    if len(sizes) < 4 or list(sizes) != sorted(set(sizes)) or sizes[0] < 1:
        raise InputError(f"expected at least four growing {what}, got {list(sizes)}")
    if seeds < 1 or steps < 1:
        raise InputError(
            f"expected at least one seed and one step, got seeds={seeds}, steps={steps}"
        )


def _check_of(
    summary: Summary, kind: Optimizer, layers: Sequence[Layer], found: Runs
) -> WidthCheck:
    """The check that these networks make."""
    theory = {p.name: reference(layers, p, kind) for p in PARAMETRISATIONS}
    output = [[m.output for m in row] for row in found]
    logits = summary.exponent([[s.activation for s in row] for row in output])
    matrices = [layer for layer in layers if layer.role is not None]
    given = {
        layer.name: summary.exponent([[m.layers[layer.name].given for m in row] for row in found])
        for layer in matrices
    }
    rows: list[LayerScaling] = []
    for layer in matrices:
        sizes = [[m.layers[layer.name] for m in row] for row in found]
        assert layer.role is not None, "norms have no row"
        row = summary.row(layer.name or "the network", layer.role, sizes, logits)
        known = {key: predicted[layer.name] for key, predicted in theory.items()}
        last = layer is matrices[-1]
        passed = logits if last else given.get(layer.next or "", row.activation)
        rows.append(replace(row, theory=known, output=last, passed=passed))
    whole = summary.row("all layers together", Role.OUTPUT, output, logits)
    about = (summary.module, summary.optimizer, summary.sizes, summary.seeds, summary.steps)
    return WidthCheck(*about, tuple(rows), replace(whole, output=True))
