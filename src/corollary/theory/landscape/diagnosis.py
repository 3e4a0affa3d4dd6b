r"""What the passage of signals says about a network's start: vanishing, exploding, dead units.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.2; Hochreiter (1991),
    "Untersuchungen zu dynamischen neuronalen Netzen"; Glorot and Bengio (2010), "Understanding the
    difficulty of training deep feedforward neural networks".
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from corollary.errors import InputError
from corollary.theory.landscape.signal import LayerSignal, Signal

Trouble = Literal[
    "not finite",
    "forward vanishes",
    "forward explodes",
    "gradient vanishes",
    "gradient explodes",
    "dead units",
    "saturated units",
    "samples look alike",
]


@dataclass(frozen=True)
class Diagnosis:
    """What the profile of a network's signal says about its start."""

    troubles: tuple[Trouble, ...]  # empty for a healthy start
    forward_rate: float  # factor of the mean square a layer, as it goes on
    backward_rate: float  # factor of the derivative's squared length a layer, as it comes back
    sentences: tuple[str, ...]  # one a trouble, with its numbers

    @property
    def healthy(self) -> bool:
        """No trouble was found."""
        return not self.troubles


def diagnose(signal: Signal, *, factor: float = 1e3, share: float = 0.5) -> Diagnosis:
    """Whether signals or gradients vanish or explode over the depth, and where units are dead.

    Args:
        signal: As measured.
        factor: Growth or decay of a mean square from the first to the last layer that counts.
        share: Share of dead or saturated units of one layer that counts.

    Example:
        >>> import torch
        >>> from torch import nn
        >>> from corollary.theory.landscape.signal import measured_signal
        >>> model = nn.Sequential(*[nn.Linear(4, 4, bias=False) for _ in range(8)])
        >>> for layer in model:
        ...     layer.weight.data = 0.1 * torch.eye(4)
        >>> x = torch.eye(4)
        >>> diagnose(measured_signal(model, lambda: model(x).sum())).troubles
        ('forward vanishes', 'gradient vanishes')
    """
    if not factor > 1 or not 0 < share <= 1:
        raise InputError(f"expected factor > 1 and 0 < share <= 1, got {factor} and {share}")
    found: dict[Trouble, str] = {}
    deep = signal.weighted()
    forward = [layer.forward for layer in deep]
    backward = [layer.backward * layer.width for layer in deep if layer.backward is not None]
    bad = next((layer for layer in signal.layers if not _finite(layer)), None)
    if bad is not None:
        found["not finite"] = f"{bad.name} is the first layer with an infinite or undefined number"
    _compare(found, "forward", forward, factor, "the mean square of the output")
    _compare(found, "gradient", backward[::-1], factor, "the squared length of the derivative")
    _count_units(found, signal.layers, share)
    alike = [layer for layer in deep[1:] if layer.similarity > 1 - 1e-3]
    if alike and deep[0].similarity < 0.99:
        found["samples look alike"] = (
            f"from {alike[0].name} on, different samples give outputs with a cosine of "
            f"{alike[0].similarity:.4f}"
        )
    return Diagnosis(tuple(found), _rate(forward), _rate(backward[::-1]), tuple(found.values()))


def _finite(layer: LayerSignal) -> bool:
    numbers = (layer.forward, layer.backward, layer.gradient)
    return all(math.isfinite(v) for v in numbers if v is not None)


def _rate(values: Sequence[float]) -> float:
    """Geometric mean of the factor from one layer to the next; NaN for fewer than two layers."""
    if len(values) < 2 or not values[0] > 0:
        return math.nan
    rate: float = (values[-1] / values[0]) ** (1 / (len(values) - 1))
    return rate


def _compare(
    found: dict[Trouble, str],
    kind: Literal["forward", "gradient"],
    values: Sequence[float],
    factor: float,
    what: str,
) -> None:
    if len(values) < 2 or not all(map(math.isfinite, values)) or not values[0] > 0:
        return
    ratio = values[-1] / values[0]
    change = f"{what} changes by a factor of {ratio:.3g} over {len(values)} layers with weights"
    if ratio > factor:
        found["forward explodes" if kind == "forward" else "gradient explodes"] = change
    elif ratio < 1 / factor:
        found["forward vanishes" if kind == "forward" else "gradient vanishes"] = change


def _count_units(found: dict[Trouble, str], layers: Sequence[LayerSignal], share: float) -> None:
    for layer in layers:
        if layer.dead is not None and layer.dead >= share and "dead units" not in found:
            found["dead units"] = (
                f"{100 * layer.dead:.0f} % of the units of {layer.name} give 0 to every sample"
            )
        if layer.saturated is not None and layer.saturated >= share:
            found.setdefault(
                "saturated units",
                f"{100 * layer.saturated:.0f} % of the entries of {layer.name} have a slope "
                "below 1 % of the steepest",
            )
