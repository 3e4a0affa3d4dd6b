r"""Risk: expected, empirical, and the gap between them.

.. math:: R(\theta)=\mathbb E_{(x,y)\sim D}\,\ell(F(x;\theta),y),\qquad
   R_S(\theta)=\frac1n\sum_{i=1}^n\ell(F(x_i;\theta),y_i),\qquad
   \operatorname{gap}(\theta)=R_S(\theta)-R(\theta).

For a fixed :math:`\theta` the empirical risk is unbiased with variance
:math:`\operatorname{Var}(\ell)/n`; for one chosen on S it is optimistic, the gap is negative on
average. What was held out gives an unbiased estimate again. To follow both along a run, hand
``Measure(every=10, test=lambda model: empirical_risk(model, held_out, loss).value)`` of
:mod:`corollary.train.callbacks` to ``fit``.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 5 and Section 8.1; Mathematical
    Foundations of Deep Learning (slides), Generalization Error; Vapnik (1992), "Principles of risk
    minimization for learning theory".
:covers: expected-empirical-risk, generalization-gap
:test: tests/theory/generalization/test_risk.py
:erratum: [possible OCR artefact] Chapter 5 shows the expected risk without the label, E[l(F(xi;x)],
    with an unbalanced bracket; the empirical risk below it has the label. Chapter 8 shows the 0-1
    loss as the indicator of f(x) = y; it is that of f(x) != y, as in Chapter 9: with the former a
    perfect classifier would have risk 1.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from corollary.errors import InputError, InputTypeError, NotFiniteError
from corollary.theory.confidence.mean import Mean, from_moments
from corollary.theory.generalization.conditions import Number
from corollary.theory.seeding import as_generator

Model = Callable[[Any], Any]
Loss = Callable[[Any, Any], Tensor]  # outputs and targets to one loss per row


class Risk(Mean):
    """A mean loss; its interval holds if the model did not see the samples."""

    def __repr__(self) -> str:
        return f"risk {self.value:.4g}, standard error {self.error:.2g}, from {self.n} samples"


class Gap(NamedTuple):
    """Training risk less expected risk, with the interval that the test samples leave."""

    value: float
    low: float
    high: float
    train: Risk
    test: Risk

    def __repr__(self) -> str:
        return (
            f"training risk less test risk {self.value:.4g} (interval {self.low:.4g} to "
            f"{self.high:.4g}): {self.train.value:.4g} in training, {self.test.value:.4g} on test "
            "data"
        )


def losses_of(model: Model, data: tuple[Tensor, Tensor], loss: Loss) -> Float[Tensor, " n"]:
    """The loss of each sample, with a module in evaluation mode and given back unchanged.

    Args:
        model: Any function of the inputs; an ``nn.Module`` is put in evaluation mode meanwhile.
        data: Inputs and targets with one first axis.
        loss: ``loss(output, target)`` with one number per row (``reduction="none"``).
    """
    x, y = data
    if len(x) != len(y) or len(x) == 0:
        raise InputError(
            f"expected one target per input and at least one input, got {len(y)} "
            f"targets for {len(x)} inputs"
        )
    modes = {m: m.training for m in model.modules()} if isinstance(model, torch.nn.Module) else {}
    try:
        for module in modes:
            module.training = False
        with torch.no_grad():
            outputs = model(x)
            each = loss(outputs, y)
    finally:
        for module, mode in modes.items():
            module.training = mode
    if not isinstance(each, Tensor) or each.shape != (len(x),):
        what = tuple(each.shape) if isinstance(each, Tensor) else type(each).__name__
        raise InputTypeError(
            f"expected the loss to return one number per sample, shape ({len(x)},), got "
            f'{what}; pass a loss with reduction="none"'
        )
    if isinstance(outputs, Tensor) and bool(outputs.isnan().any()):
        raise NotFiniteError(f"the model returns NaN for some of the {len(x)} samples")
    return each.cpu().double()


def empirical_risk(model: Model, data: tuple[Tensor, Tensor], loss: Loss) -> Risk:
    r"""The mean loss :math:`R_S` on a sample, with its standard error.

    Example:
        >>> x, y = torch.tensor([0.0, 1.0, 2.0, 3.0]), torch.tensor([0.0, 1.0, 2.0, 5.0])
        >>> risk = empirical_risk(lambda x: x, (x, y), lambda o, y: (o != y).double())
        >>> risk.value, risk.error, risk.n
        (0.25, 0.25, 4)
    """
    return _risk(losses_of(model, data, loss))


def monte_carlo_risk(
    model: Model,
    draw: Callable[[int, Generator], tuple[Tensor, Tensor]],
    loss: Loss,
    samples: int,
    *,
    batch: int = 65536,
    rng: int | Generator = 0,
) -> Risk:
    """The expected risk under a distribution that can be drawn from, in batches.

    Args:
        model: As in :func:`losses_of`.
        draw: ``draw(n, rng)`` gives n inputs and targets.
        loss: As in :func:`losses_of`.
        samples: How many to draw; at least 2.
        batch: How many at a time.
        rng: Where they come from.

    Example:
        >>> def coin(n, rng):
        ...     return torch.zeros(n), (torch.rand(n, generator=rng) < 0.5).double()
        >>> rng = torch.Generator().manual_seed(0)
        >>> wrong = lambda o, y: (o != y).double()
        >>> risk = monte_carlo_risk(lambda x: x, coin, wrong, 4000, rng=rng)
        >>> abs(risk.value - 0.5) < 4 * risk.error
        True
    """
    rng = as_generator(rng)
    if not (2 <= samples < math.inf and batch >= 1):
        raise InputError(
            f"samples >= 2 and batch >= 1 are needed, got samples={samples}, batch={batch}"
        )
    parts, left = [], samples
    while left > 0:
        parts.append(losses_of(model, draw(min(batch, left), rng), loss))
        left -= batch
    return _risk(torch.cat(parts))


def generalization_gap(
    model: Model,
    train: tuple[Tensor, Tensor],
    test: tuple[Tensor, Tensor],
    loss: Loss,
    *,
    level: Number = 0.95,
) -> Gap:
    r"""Training risk less expected risk, the latter estimated on samples the model has not seen.

    The training risk is an exact number (the model depends on those samples), so the interval is
    that of the test risk alone.

    Example:
        >>> x = torch.arange(4.0)
        >>> flat = lambda o, y: (o - y).square()
        >>> gap = generalization_gap(lambda x: x, (x, x), (x, x + 2), flat)
        >>> gap.value, gap.low, gap.high
        (-4.0, -4.0, -4.0)
    """
    fitted, held_out = empirical_risk(model, train, loss), empirical_risk(model, test, loss)
    low, high = held_out.interval(level)
    return Gap(
        fitted.value - held_out.value, fitted.value - high, fitted.value - low, fitted, held_out
    )


def split(
    n: int, fractions: Sequence[Number], *, rng: int | Generator = 0
) -> list[Int[Tensor, " k"]]:
    """Disjoint random index sets with the given fractions of n samples; all are used if they sum 1.

    Example:
        >>> parts = split(10, [0.6, 0.4], rng=torch.Generator().manual_seed(0))
        >>> [len(p) for p in parts], sorted(torch.cat(parts).tolist()) == list(range(10))
        ([6, 4], True)
    """
    rng = as_generator(rng)
    total = math.fsum(fractions)
    if n < 1 or not fractions or min(fractions) < 0 or total > 1 + 1e-9:
        raise InputError(
            f"split needs n >= 1 and fractions >= 0 with sum at most 1, got n={n} and "
            f"{list(fractions)}"
        )
    order = torch.randperm(n, generator=rng, device=rng.device)
    ends = [round(n * math.fsum(fractions[: i + 1])) for i in range(len(fractions))]
    return [order[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]


def _risk(each: Float[Tensor, " n"]) -> Risk:
    mean = float(each.mean())
    gaps = each.cpu().double() - mean
    scale = float(gaps.abs().max()) or 1.0
    second, third = (float((gaps / scale).pow(k).mean()) for k in (2, 3))
    return Risk(*from_moments(mean, scale, second, third, len(each)))
