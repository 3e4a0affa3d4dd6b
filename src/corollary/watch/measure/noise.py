r"""The gradient noise scale from what a backward pass leaves at the layers.

For a linear or convolutional layer the gradient of one example is :math:`\sum_t \delta_t a_t^T`,
from the layer's input a and the gradient :math:`\delta` of its output. With a mean loss over B
examples, the squared lengths of a few examples' gradients and the batch's gradient itself give

.. math:: \widehat{\operatorname{tr}\Sigma} = \frac{B}{B-1}\Bigl(\overline{|g_i|^2} - |g_B|^2\Bigr),
          \qquad \widehat{|G|^2} = |g_B|^2 - \frac1B\widehat{\operatorname{tr}\Sigma},

both unbiased; their ratio is the noise scale, which is also the critical batch size. Where the loop
accumulates gradients or runs in several processes, :mod:`.micro_batches` takes its place.

:source: McCandlish, Kaplan, Amodei et al. (2018), "An empirical model of large-batch training",
    Appendix A.1; Goodfellow (2015), "Efficient per-example gradient computations"; Fieller (1954),
    "Some problems in interval estimation".
"""

import math
from collections import deque

import torch
from jaxtyping import Float
from torch import Tensor, nn

from corollary.core.measurement import Reading
from corollary.theory.landscape.curvature.noise_scale import ratio_interval

EXAMPLES = 8  # examples with several places that are looked at
WINDOW = 20  # readings that are averaged


class NoiseAverage:
    """Averages both parts over the last readings; their ratio has Fieller's interval."""

    def __init__(self, window: int = WINDOW) -> None:
        self.parts: deque[tuple[float, float]] = deque(maxlen=window)
        self.source = ""

    def add(self, noise: float, signal: float, source: str = "") -> None:
        """One reading of both parts; readings of different parameters are not averaged."""
        if source != self.source:
            self.parts.clear()
            self.source = source
        if math.isfinite(noise) and math.isfinite(signal):
            self.parts.append((noise, signal))

    def read(self, level: float = 0.95) -> Reading | None:
        """The critical batch size so far; None before 4 readings."""
        n = len(self.parts)
        if n < 4:
            return None
        rows = torch.tensor(list(self.parts), dtype=torch.float64)
        mean = rows.mean(0)
        left_out = (rows.sum(0) - rows) / (n - 1)
        found = ratio_interval(float(mean[0]), float(mean[1]), left_out, level)
        return Reading(found.value, found.low, found.high)


def example_squares(
    layer: nn.Module, a: Tensor, delta: Tensor, most: int = EXAMPLES
) -> Float[Tensor, " m"] | None:
    r"""Squared lengths of the weight's gradient for the first examples; None for other layers.

    The gradients are those of B times a mean loss: of the example's own loss. They are not formed
    if the products of positions, :math:`\sum_{tt'} (a_t\cdot a_{t'})(\delta_t\cdot\delta_{t'})`,
    are fewer numbers.
    """
    B = len(delta)
    found = _places(layer, a, delta, most)
    if found is None:
        return None
    a, delta = found  # m x places x features
    delta = delta * B
    places, size = a.shape[1], a.shape[2] * delta.shape[2]
    if places == 1:
        return a.square().sum((1, 2)) * delta.square().sum((1, 2))
    if places * places < size:
        return ((a @ a.mT) * (delta @ delta.mT)).sum((1, 2))
    return (delta.mT @ a).square().sum((1, 2))


def _places(layer: nn.Module, a: Tensor, delta: Tensor, most: int) -> tuple[Tensor, Tensor] | None:
    """Inputs and output gradients by example and position; a vector has one position."""
    if isinstance(layer, nn.Linear) and a.dim() >= 2:
        m = len(delta) if a.dim() == 2 else min(most, len(delta))
        a, delta = a[:m].detach().float(), delta[:m].detach().float()
        return a.reshape(m, -1, a.shape[-1]), delta.reshape(m, -1, delta.shape[-1])
    if isinstance(layer, nn.Conv2d) and layer.groups == 1 and not isinstance(layer.padding, str):
        m = min(most, len(delta))
        a, delta = a[:m].detach().float(), delta[:m].detach().float()
        patches = nn.functional.unfold(
            a, layer.kernel_size, layer.dilation, layer.padding, layer.stride
        )
        return patches.mT, delta.flatten(2).mT
    return None
