r"""Activation patterns at points: the affine map there, and how many patterns were never seen.

In more than two dimensions regions are too many to enumerate. Drawing n points, with
:math:`f_1` patterns seen once and :math:`f_2` twice, the share of input space whose pattern was
not seen is estimated by Good and Turing's :math:`f_1/n`, and the number of patterns from below by
Chao's :math:`D + f_1(f_1 - 1)/(2(f_2 + 1))`, D of them seen.

:source: Perez Jensen (2025), Deep Learning, Section 2.5; Good (1953), "The population frequencies
    of species and the estimation of population parameters"; Chao (1984), "Nonparametric estimation
    of the number of classes in a population".
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float, Int, Shaped
from torch import Tensor, nn

from corollary.errors import InputError
from corollary.theory.expressivity.regions.program import Program
from corollary.theory.prerequisites.wellformed import check_finite
from corollary.theory.wording import percent, span


class LocalMap(NamedTuple):
    """Near input i the network is ``slope[i] @ x + offset[i]`` (inputs flattened)."""

    slope: Float[Tensor, "n k d"]
    offset: Float[Tensor, "n k"]

    def __repr__(self) -> str:
        n, outputs, inputs = self.slope.shape
        return (
            f"affine maps at {n} inputs: {inputs} numbers to {outputs}, slopes {span(self.slope)}"
        )


@dataclass(frozen=True)
class PatternSample:
    """Distinct activation patterns among drawn inputs."""

    drawn: int
    seen: int  # distinct patterns
    once: int  # patterns seen exactly once
    twice: int

    def __repr__(self) -> str:
        return (
            f"{self.seen} activation patterns among {self.drawn} inputs; about "
            f"{percent(self.missing_mass)} of new inputs have another one, and there are at least "
            f"about {self.richness:.4g} patterns"
        )

    @property
    def missing_mass(self) -> float:
        """Estimated probability that a new input has a pattern that was not seen."""
        return self.once / self.drawn

    def missing_mass_upper(self, delta: float = 0.05) -> float:
        r"""Upper bound with probability :math:`1 - \delta`.

        .. math:: f_1/n + (2\sqrt2 + \sqrt3)\sqrt{\log(3/\delta)/n}

        :source: McAllester and Schapire (2000), "On the convergence rate of Good-Turing
            estimators".
        """
        if not 0 < delta < 1:
            raise InputError(f"delta must lie between 0 and 1, got {delta:g}")
        slack = (2 * 2**0.5 + 3**0.5) * math.sqrt(math.log(3 / delta) / self.drawn)
        return min(1.0, self.missing_mass + slack)

    @property
    def richness(self) -> float:
        """Chao's estimate, in expectation at most the number of patterns there are."""
        return self.seen + self.once * (self.once - 1) / (2 * (self.twice + 1))


def activation_pattern(model: nn.Module, x: Shaped[Tensor, "n *shape"]) -> Int[Tensor, "n units"]:
    r"""Which units are on: :math:`\kappa(x) = 1\{Wx + b > 0\}`, layer after layer.

    For a maximum pool the entry is the winner's place in its window.

    Example:
        >>> layer = nn.Sequential(nn.Linear(1, 2), nn.ReLU())
        >>> _ = layer[0].weight.data.copy_(torch.tensor([[1.0], [-1.0]]))
        >>> _ = layer[0].bias.data.zero_()
        >>> activation_pattern(layer, torch.tensor([[2.0], [-2.0]])).tolist()
        [[1, 0], [0, 1]]

    :source: Perez Jensen (2025), Deep Learning, Section 2.5.
    """
    return Program.read(model).pattern(x.detach().to("cpu", torch.float64))


def local_affine_map(model: nn.Module, x: Shaped[Tensor, "n *shape"]) -> LocalMap:
    """The affine map that the network is in the cell of each input.

    Cost: one backward pass for each output; memory n k d.

    Example:
        >>> absolute = nn.Sequential(nn.Linear(1, 2), nn.ReLU(), nn.Linear(2, 1))
        >>> weights = [[1.0], [-1.0]], [0.0, 0.0], [[1.0, 1.0]], [3.0]
        >>> for p, v in zip(absolute.parameters(), weights, strict=True):
        ...     _ = p.data.copy_(torch.tensor(v))
        >>> slope, offset = local_affine_map(absolute, torch.tensor([[2.0], [-2.0]]))
        >>> slope.flatten().tolist(), offset.flatten().tolist()
        ([1.0, -1.0], [3.0, 3.0])
    """
    check_finite("x", x)
    graph = Program.read(model).graph
    x = x.detach().to("cpu", torch.float64).clone().requires_grad_(True)
    with torch.enable_grad():
        out = graph(x).reshape(len(x), -1)
        rows = [
            torch.autograd.grad(out[:, j].sum(), x, retain_graph=True)[0].flatten(1)
            for j in range(out.shape[1])
        ]
    slope = torch.stack(rows, dim=1)
    flat = x.detach().flatten(1)
    return LocalMap(slope, out.detach() - (slope @ flat[:, :, None])[:, :, 0])


def sample_patterns(model: nn.Module, x: Shaped[Tensor, "n *shape"]) -> PatternSample:
    """Count the patterns of independent inputs, and those seen once and twice.

    Example:
        >>> layer = nn.Sequential(nn.Linear(1, 1), nn.ReLU())
        >>> _ = layer[0].weight.data.fill_(1.0), layer[0].bias.data.zero_()
        >>> found = sample_patterns(layer, torch.tensor([[1.0], [2.0], [-1.0]]))
        >>> found.drawn, found.seen, found.once, found.twice
        (3, 2, 1, 1)
    """
    if len(x) == 0:
        raise InputError("at least one input is needed to count patterns")
    pattern = activation_pattern(model, x)
    _, times = torch.unique(pattern, dim=0, return_counts=True)
    return PatternSample(len(x), len(times), int((times == 1).sum()), int((times == 2).sum()))
