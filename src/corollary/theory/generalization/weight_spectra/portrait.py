r"""Portraits: what the spectrum of each layer says, without any data.

For every weight of a network: its eigenvalues, the noise in them and the spikes above it, the tail
and whether it is a power law, and norms. Spikes and noise are those of the matrix (for a
convolution, of the patch matrix, whose entries are independent at a random start); tail and
spectral norm are those of the operator.

:source: Martin and Mahoney (2021), "Implicit self-regularization in deep neural networks: evidence
    from random matrix theory and implications for learning".
"""

import math
from dataclasses import dataclass
from functools import cached_property

from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.theory.generalization.weight_spectra.layers import (
    CONVOLUTIONS,
    LogNorms,
    WeightMatrix,
    convolution_eigenvalues,
    eigenvalues,
    layers_of,
    log_norms,
    stable_rank,
)
from corollary.theory.generalization.weight_spectra.power_law import TailFit, power_law
from corollary.theory.generalization.weight_spectra.spikes import Spikes, spikes, visible_from
from corollary.theory.generalization.weight_spectra.tail_tests import (
    RULED_OUT,
    compared,
    goodness_of_fit,
)

FEWEST = 50  # eigenvalues, below which no tail is fitted


@dataclass(frozen=True)
class TestedTail:
    """A power law with the tests that it stood or did not."""

    fit: TailFit
    p_value: float  # goodness of fit
    heavier: float  # p-value that it is no heavier than an exponential; 1 if the latter is ahead
    lognormal: float  # normalised likelihood ratio against the log-normal, never positive

    def __repr__(self) -> str:
        believed = "plausible" if self.plausible else "ruled out"
        heavy = ", heavier than exponential" if self.heavy else ""
        return f"{self.fit}: {believed} (p-value {self.p_value:.2g}){heavy}"

    @property
    def plausible(self) -> bool:
        """Whether a power law is not ruled out."""
        return self.p_value >= RULED_OUT

    @property
    def heavy(self) -> bool:
        """Whether it is a plausible power law and visibly heavier than an exponential."""
        return self.plausible and self.heavier < RULED_OUT


@dataclass(frozen=True)
class Portrait:
    """One weight. Eigenvalues are ascending."""

    layer: WeightMatrix
    values: Float[Tensor, " p"]  # of the matrix
    operator: Float[Tensor, " m"]  # of the layer; the same for a dense one
    spikes: Spikes
    largest_entry: float  # over what a single entry needs to be seen as a spike

    def __repr__(self) -> str:
        fit = self.power_law
        tail = "" if fit is None else f", tail exponent {fit.alpha:.3g} ± {fit.error:.1g}, untested"
        return (
            f"layer '{self.name}', {len(self.values)} x {self.n}: stable rank "
            f"{self.stable_rank:.3g}, spectral norm {self.spectral_norm:.4g}, spikes above the "
            f"noise {self.spikes.count}{tail}"
        )

    @property
    def name(self) -> str:
        """The layer's path."""
        return self.layer.name

    @property
    def n(self) -> int:
        """The larger side of the matrix."""
        return self.layer.weight.numel() // len(self.values)

    @property
    def spectral_norm(self) -> float:
        """The largest singular value of the operator."""
        return math.sqrt(float(self.operator[-1]))

    @property
    def stable_rank(self) -> float:
        """Of the matrix."""
        return stable_rank(self.values)

    @property
    def above_noise(self) -> float:
        """The largest eigenvalue over the edge of the noise."""
        edge = self.spikes.edge
        return float(self.values[-1]) / edge if edge > 0 else math.inf

    @cached_property
    def power_law(self) -> TailFit | None:
        """The tail, if there are enough eigenvalues."""
        try:
            return power_law(self.operator) if len(self.operator) >= FEWEST else None
        except InputError:  # all are equal, as of an orthogonal matrix
            return None

    @property
    def log_norms(self) -> LogNorms | None:
        """With the exponent of the tail."""
        fit = self.power_law
        return None if fit is None else log_norms(self.operator, fit.alpha)

    def tail(self, *, draws: int = 100, rng: int | Generator = 0) -> TestedTail | None:
        """The tail with its tests."""
        fit = self.power_law
        if fit is None:
            return None
        rival = compared(self.operator, fit, "exponential")
        return TestedTail(
            fit,
            goodness_of_fit(self.operator, fit, draws=draws, rng=rng),
            rival.p_value if rival.ratio > 0 else 1.0,
            compared(self.operator, fit, "lognormal").ratio,
        )


def portrait(layer: WeightMatrix, *, delta: float = 1e-3) -> Portrait:
    r"""The spectrum of one weight.

    Costs :math:`O(p^2n)` for p by n entries.

    Args:
        layer: From :func:`~corollary.theory.generalization.weight_spectra.layers.layers_of`.
        delta: Probability that pure noise has a spike.

    Example:
        >>> import torch
        >>> from corollary.theory.generalization.weight_spectra.layers import layers_of
        >>> dense = torch.nn.Linear(3, 2, bias=False)
        >>> dense.weight.data = torch.tensor([[3.0, 0.0, 0.0], [0.0, 4.0, 0.0]])
        >>> found = portrait(next(layers_of(dense)))
        >>> found.spectral_norm, found.stable_rank
        (4.0, 1.5625)
    """
    matrix = layer.matrix
    values = eigenvalues(matrix)
    operator = values
    if isinstance(layer.module, CONVOLUTIONS):
        operator = convolution_eigenvalues(
            layer.weight.detach(), groups=layer.module.groups, distinct=True
        )
    p, n = sorted(matrix.shape)
    found = spikes(values, n, delta=delta)
    return Portrait(layer, values, operator, found, _largest_entry(matrix))


def portraits(model: nn.Module, *, delta: float = 1e-3) -> list[Portrait]:
    """The spectra of all weights of a module, in its own order.

    Args:
        model: Any module; weights that multiply are looked at, a shared one once.
        delta: Probability, for each weight, that pure noise has a spike.

    Example:
        >>> import torch
        >>> net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Tanh(), torch.nn.Linear(2, 2))
        >>> [found.name for found in portraits(net)]
        ['0', '2']
    """
    return [portrait(layer, delta=delta) for layer in layers_of(model)]


def _largest_entry(matrix: Tensor) -> float:
    """Of all entries but the largest, the mean square stands for the noise."""
    p, n = matrix.shape
    squares = matrix.square()
    largest = float(squares.max())
    rest = (float(squares.sum()) - largest) / max(1, p * n - 1)
    return math.sqrt(largest) / visible_from(p, n, rest) if rest > 0 else math.inf


def cost(layer: WeightMatrix) -> float:
    """Floating-point operations of a portrait, roughly."""
    p, n = sorted(layer.rows.shape)
    total = 2.0 * p * p * n + 4.0 * p**3
    if isinstance(layer.module, CONVOLUTIONS):
        a, b = sorted(layer.weight.shape[:2])
        total += 4.0 * math.prod(layer.weight.shape[2:]) * (a * a * b + 2.0 * a**3)
    return total
