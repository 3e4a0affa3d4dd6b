"""The kind of a loss, recognised by its values, and the kind of the targets.

A loss is recognised by its values on random outputs, so custom code works too: the values equal the
mean or the sum of a known loss up to rounding.
"""

import math
from collections.abc import Callable
from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional as F

from corollary.core import Batch, Subject
from corollary.errors import CorollaryError

Kind = Literal[
    "cross entropy",
    "log likelihood",
    "logistic",
    "probabilities",
    "squared",
    "absolute",
    "divergence",
    "log rates",
]
Targets = Literal["classes", "two classes", "one-hot", "labels", "shares", "counts", "numbers", ""]
TARGETS: dict[Targets, str] = {
    "classes": "exclusive classes",
    "two classes": "two classes",
    "one-hot": "exclusive classes, one-hot",
    "labels": "several labels per sample",
    "shares": "probabilities",
    "counts": "whole numbers",
    "numbers": "real numbers",
}
LOSSES: dict[str, str] = {
    "cross entropy": "cross-entropy on logits",
    "log likelihood": "the negative log-likelihood",
    "logistic": "the logistic loss on logits",
    "probabilities": "one of probabilities",
    "squared": "the squared error",
    "absolute": "the absolute error",
    "divergence": "the divergence of log-probabilities",
    "log rates": "the Poisson likelihood of logarithms of rates",
}
CLOSE = 1e-4  # relative: rounding of single precision, and label smoothing is no longer close
DRAWS = 2


def loss_kind(subject: Subject, output: Tensor, target: Tensor) -> Kind | Literal[""]:
    """The known loss that gives the same numbers; empty for any other loss.

    Args:
        subject: The subject whose loss it is.
        output: An output; random outputs of its shape are drawn.
        target: The targets, unchanged.
    """
    rng = subject.rng("loss kind")
    drawn = [_drawn(output, rng) for _ in range(DRAWS)]
    try:
        with torch.no_grad():
            found = [float(subject.loss_of(o, target)) for o in drawn]
    except (CorollaryError, RuntimeError, ValueError, IndexError, TypeError):
        return "probabilities" if _takes_shares(subject, output, target, rng) else ""
    for kind, known in KNOWN.items():
        for reduction in ("mean", "sum", "batchmean"):
            try:
                values = [float(known(o, target, reduction)) for o in drawn]
            except (RuntimeError, ValueError, IndexError, TypeError):
                continue
            if all(math.isclose(a, b, rel_tol=CLOSE) for a, b in zip(found, values, strict=True)):
                return kind
    if not all(map(math.isfinite, found)):
        return "probabilities" if _takes_shares(subject, output, target, rng) else ""
    return ""


def smoothing_of(subject: Subject, output: Tensor, target: Tensor) -> float | None:
    """The label smoothing of a cross-entropy, also of custom code; None for any other loss.

    A smoothed cross-entropy is a mixture of the cross-entropy and the cross-entropy of uniform
    targets, with a weight that is the same for all outputs.
    """
    if output.dim() != 2 or target.dim() != 1 or target.is_floating_point():
        return None
    rng, shares = subject.rng("smoothing"), []
    for _ in range(DRAWS):
        o = _drawn(output, rng)
        try:
            with torch.no_grad():
                value = float(subject.loss_of(o, target))
                sharp = float(F.cross_entropy(o, target))
                even = float(F.cross_entropy(o, target, label_smoothing=1.0))
        except (CorollaryError, RuntimeError, ValueError, IndexError, TypeError):
            return None
        shares.append((value - sharp) / (even - sharp) if even != sharp else math.nan)
    same = math.isclose(shares[0], shares[1], abs_tol=CLOSE)
    return shares[0] if same and 0 < shares[0] < 1 + CLOSE else None


def target_kind(batch: Batch, output: Tensor) -> Targets:
    """What the targets are: exclusive classes, several labels, shares, counts or numbers."""
    y = batch.target
    if not isinstance(y, Tensor) or y.numel() == 0 or y.is_complex():
        return ""
    values = y.cpu().double()
    binary = bool(((values == 0) | (values == 1)).all())
    if not y.is_floating_point() and output.dim() == y.dim() + 1:
        return "classes"
    if y.dim() == 2 and y.shape[1] > 1 and y.shape == output.shape:
        sums = values.sum(1)
        if binary:
            return "one-hot" if bool((sums == 1).all()) else "labels"
        if bool((values >= 0).all()) and bool(((sums - 1).abs() < 1e-4).all()):
            return "shares"
    if binary:
        return "two classes"
    whole = bool((values == values.round()).all())
    if whole and bool((values >= 0).all()) and y.dim() <= 2:
        return "counts"
    return "numbers"


def _drawn(output: Tensor, rng: torch.Generator) -> Tensor:
    return 2 * torch.randn(output.shape, generator=rng).to(output.detach())


def _takes_shares(subject: Subject, output: Tensor, target: Tensor, rng: torch.Generator) -> bool:
    """Whether the loss is finite for numbers between 0 and 1, unlike for others.

    A loss that also accepts larger numbers with larger targets is a loss of rates or other positive
    numbers.
    """
    try:
        with torch.no_grad():
            if bool((target > 1).any()) and target.is_floating_point():
                above = 1 + _drawn(output, rng).abs()
                if math.isfinite(float(subject.loss_of(above, target))):
                    return False
    except (CorollaryError, RuntimeError, ValueError, IndexError, TypeError):
        pass  # it does not take them
    try:
        with torch.no_grad():
            return math.isfinite(float(subject.loss_of(_drawn(output, rng).sigmoid(), target)))
    except (CorollaryError, RuntimeError, ValueError, IndexError, TypeError):
        return False


def _cross_entropy(output: Tensor, target: Tensor, reduction: str) -> Tensor:
    if not target.is_floating_point() and output.shape[:-1] == target.shape:
        output, target = output.reshape(-1, output.shape[-1]), target.reshape(-1)
    return F.cross_entropy(output, target, reduction=reduction)


def _log_likelihood(output: Tensor, target: Tensor, reduction: str) -> Tensor:
    if output.shape[:-1] == target.shape:
        output, target = output.reshape(-1, output.shape[-1]), target.reshape(-1)
    return F.nll_loss(output, target, reduction=reduction)


def _logistic(output: Tensor, target: Tensor, reduction: str) -> Tensor:
    if output.numel() != target.numel():
        raise ValueError("one logit for each target")
    y = target.to(output.dtype)
    return F.binary_cross_entropy_with_logits(output.reshape(y.shape), y, reduction=reduction)


def _squared(output: Tensor, target: Tensor, reduction: str) -> Tensor:
    if output.numel() != target.numel():
        raise ValueError("one output for each target")
    y = target.to(output.dtype)
    return F.mse_loss(output.reshape(y.shape), y, reduction=reduction)


def _absolute(output: Tensor, target: Tensor, reduction: str) -> Tensor:
    if output.numel() != target.numel():
        raise ValueError("one output for each target")
    y = target.to(output.dtype)
    return F.l1_loss(output.reshape(y.shape), y, reduction=reduction)


def _divergence(output: Tensor, target: Tensor, reduction: str) -> Tensor:
    if output.shape != target.shape or not target.is_floating_point():
        raise ValueError("a probability for each output")
    y = target.to(output.dtype)
    each: Tensor = torch.special.xlogy(y, y) - y * output
    if reduction == "mean":
        return each.mean()
    return each.sum() / (len(y) if reduction == "batchmean" else 1)


def _log_rates(output: Tensor, target: Tensor, reduction: str) -> Tensor:
    """The Poisson likelihood of logarithms of rates."""
    if output.numel() != target.numel():
        raise ValueError("one output for each target")
    y = target.to(output.dtype)
    return F.poisson_nll_loss(output.reshape(y.shape), y, reduction=reduction)


KNOWN: dict[Kind, Callable[[Tensor, Tensor, str], Tensor]] = {
    "cross entropy": _cross_entropy,
    "log likelihood": _log_likelihood,
    "logistic": _logistic,
    "squared": _squared,
    "absolute": _absolute,
    "divergence": _divergence,
    "log rates": _log_rates,
}
