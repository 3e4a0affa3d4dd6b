"""What is saved and reported when a loss or a gradient is no longer finite.

The pass is repeated once with the same inputs and the same random state, on a module that is
restored afterwards. What a replay needs (inputs, weights, optimizer state, random state) is written
to one file, within a size limit.
"""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from corollary.core.finding import Finding, Severity
from corollary.theory.modules.keeping import kept
from corollary.watch.detect.detector import found, listed
from corollary.watch.first_bad_value import BadValue, first_bad_value
from corollary.watch.state import Loop, Pass, inputs_finite

NOT_FINITE = "loss/not_finite"
GRADIENT = "gradient/not_finite"
SCHEMA = 1


def broken(model: nn.Module) -> list[str]:
    """Parameters with a value that is not finite."""
    with torch.no_grad():
        return [n for n, p in model.named_parameters() if not bool(torch.isfinite(p).all())]


def repeat_pass(model: nn.Module, found_pass: Pass) -> BadValue | None:
    """Repeat the pass and search it; the model and all random states are restored."""

    def forward() -> None:
        torch.set_rng_state(found_pass.rng)
        model(*found_pass.args, **found_pass.kwargs)

    with kept(model, read_only=True), torch.no_grad():
        model.train(found_pass.training)
        return first_bad_value(model, forward)


def explain_loss(loop: Loop, value: float) -> Finding:
    """The origin of a loss that is NaN or infinite."""
    what = "NaN" if math.isnan(value) else "infinite"
    last = loop.passes[-1] if loop.passes else None
    bad_weights = broken(loop.model)
    where, advice = "", "Lower the learning rate or clip the gradient."
    if bad_weights:
        where = bad_weights[0]
        meaning = (
            f"The loss is {what} because {len(bad_weights)} parameter tensors already held "
            f"such values ({listed(bad_weights)}). The previous update put them there."
        )
        ratio = max((r for _, r in loop.stability), default=0.0)
        if ratio > 1:
            meaning += f" Learning rate times curvature was {ratio:.3g} times its limit."
    elif last is not None and not inputs_finite(last):
        meaning = f"The loss is {what} because the batch contains values that are not finite."
        advice = "Check the data of this batch for missing values or a standard deviation of zero."
    else:
        search = last is not None and last.repeatable and not loop.compiled
        bad = repeat_pass(loop.model, last) if search and last is not None else None
        where = bad.layer if bad else ""
        meaning = (
            f"The loss is {what}: {bad}."
            if bad
            else f"The loss is {what}, but the output of the model is finite. The loss "
            "function produces the bad value."
        )
        advice = (
            "Keep the input of this operation in its domain (add an epsilon or clamp it), or "
            "compute in higher precision."
            if bad
            else "Check log, division and sqrt in the loss, and use losses that take logits."
        )
    return found(NOT_FINITE, f"The loss is {what}", Severity.HIGH, meaning, advice, where=where)


def explain_gradient(loop: Loop, names: list[str]) -> Finding:
    """Where gradients that are not finite begin; they spread from the loss towards the input."""
    return found(
        GRADIENT,
        "A gradient is not finite",
        Severity.HIGH,
        f"The loss is finite, but the gradients of {len(names)} parameter tensors are not; the "
        f"tensor nearest to the loss is {names[-1]}.",
        "In or after this layer, look for sqrt, norm, division or log of zero. Their "
        "derivative is infinite there.",
        where=names[-1],
    )


def bad_gradients(loop: Loop) -> list[str]:
    """Names of parameters with gradients that are not finite, in the order of the model."""
    named = [(loop.name(p), p.grad) for p in loop.trained() if p.grad is not None]
    return [n for n, g in named if not bool(torch.isfinite(_values(g)).all())]


def write_evidence(loop: Loop, path: Path, limit: int) -> int | None:
    """Write what a replay needs; None if it is larger than ``limit`` bytes.

    The file has only plain data and tensors, so that it loads without running code.
    """
    last = loop.passes[-1] if loop.passes else None
    main = loop.main
    held = {
        "schema": SCHEMA,
        "kind": "step",
        "step": loop.step,
        "args": [] if last is None else _plain(list(last.args)),
        "kwargs": {} if last is None else _plain(dict(last.kwargs)),
        "training": last is not None and last.training,
        "rng": torch.get_rng_state() if last is None else last.rng,
        "weights": {k: v.detach().clone() for k, v in loop.model.state_dict().items()},
        "optimizer": None if main is None else _plain(main.optimizer.state_dict()),
    }
    size = _bytes(held)
    if size > limit:
        held["optimizer"], size = None, size - _bytes(held["optimizer"])
    if size > limit:
        return None
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save(held, path)
    return size


def _values(grad: Tensor) -> Tensor:
    return grad.coalesce().values() if grad.is_sparse else grad


def _plain(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.detach().clone()
    if isinstance(value, Mapping):
        return {k if isinstance(k, str | int) else str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def _bytes(value: Any) -> int:
    if isinstance(value, Tensor):
        return value.numel() * value.element_size()
    if isinstance(value, Mapping):
        return sum(map(_bytes, value.values()))
    return sum(map(_bytes, value)) if isinstance(value, list | tuple) else 8
