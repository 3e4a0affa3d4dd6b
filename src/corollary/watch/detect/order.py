r"""Targets that depend on time: consecutive batches are more alike than others.

The class shares :math:`s_t` of the batches (or their mean targets) are centred. If the order of the
batches is random, the mean of :math:`\langle s_t, s_{t+1} \rangle` has the same distribution as
under permutations of the batches. The evidence is its distance from the mean over permutations, in
standard deviations.
"""

import torch
from torch import Tensor

from corollary.core.finding import Finding, Severity
from corollary.watch.detect.data import SORTED
from corollary.watch.detect.detector import Detector, found
from corollary.watch.state import Loop, Owned

BATCHES = 38  # whose targets are read at every step
CLASSES = 200
FAR = 5.0  # standard deviations: once in millions of shuffled orders
PERMUTATIONS = 200


class Order(Detector):
    """Reads the labels of the first batches."""

    def __init__(self) -> None:
        self.labels: list[Tensor] = []
        self.classes = 0

    @torch.no_grad()
    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Store the labels of this batch, and decide once there are enough."""
        if owned is not loop.main or loop.made > BATCHES or not loop.passes or not loop.graphs:
            return
        graph, size = loop.graphs[-1], loop.passes[-1].size
        labels = graph.labels
        if labels is not None and labels.device.type == "cpu" and labels.numel() == size >= 4:
            self.labels.append(labels.detach().reshape(-1).clone())
            self.classes = graph.classes
        if loop.made == BATCHES and len(self.labels) >= BATCHES - 2:
            self._decide(loop)

    def _decide(self, loop: Loop) -> None:
        if not 1 < self.classes <= CLASSES:
            return
        kept = [y[(y >= 0) & (y < self.classes)] for y in self.labels]
        shares = torch.stack([y.bincount(minlength=self.classes) / max(1, len(y)) for y in kept])
        far = excess(shares)
        if far > FAR:
            loop.events.say(loop.step, _sorted(far, len(kept)))


def excess(shares: Tensor) -> float:
    """How much more alike neighbours are than in a random order, in standard deviations.

    Example:
        >>> drift = torch.linspace(0, 1, 30)[:, None]
        >>> excess(drift) > 4
        True
    """
    centred = shares.double() - shares.double().mean(0)
    gram = centred @ centred.T
    n = len(gram)
    draws = torch.Generator().manual_seed(0)
    orders = [torch.randperm(n, generator=draws) for _ in range(PERMUTATIONS)]
    neighbours = torch.stack([gram[o[:-1], o[1:]].mean() for o in orders])
    spread = float(neighbours.std())
    own = float(gram.diagonal(1).mean())
    return (own - float(neighbours.mean())) / spread if spread > 0 else 0.0


def _sorted(far: float, batches: int) -> Finding:
    return found(
        SORTED,
        "Consecutive batches have similar labels",
        Severity.LOW,
        f"In the first {batches} batches, consecutive batches have more similar class shares "
        f"than in a random order, by {far:.1f} standard deviations. The data are sorted and "
        "not shuffled, or shuffled in too small a buffer.",
        "Shuffle the whole training set, or use a shuffle buffer larger than a class.",
        deviations=far,
    )
