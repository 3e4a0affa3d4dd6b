r"""The gradient noise scale from the passes and processes of the loop itself.

With gradient accumulation, K passes of b examples each add :math:`\Delta_1, \dots, \Delta_K` to the
gradient. With several processes, each has the gradient of its own b examples before theirs are
averaged. Either way there are gradients of b examples and their mean, of all parameters, whose
squared lengths :func:`~corollary.theory.landscape.curvature.noise_scale.two_sizes` turns into the
two parts of the noise scale. A common factor of all gradients (a divided loss, a GradScaler)
cancels in their ratio.

:source: McCandlish, Kaplan, Amodei et al. (2018), "An empirical model of large-batch training",
    Appendix A.1.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from corollary.theory.landscape.curvature.noise_scale import two_sizes
from corollary.watch.measure.updates import norms


@dataclass
class MicroBatches:
    """Follows the gradient through the passes of one step."""

    own: list[float] = field(default_factory=list)  # squared length of what each pass added
    sums: list[float] = field(default_factory=list)  # and of the gradient after it
    kinds: list[tuple[int, bool]] = field(default_factory=list)  # examples; mean over processes?
    before: list[Tensor] = field(default_factory=list)

    @torch.no_grad()
    def add(self, grads: Sequence[Tensor], examples: int, averaged: bool) -> None:
        """A pass has ended, and its gradient was added to the sum."""
        dense = [g.to_dense() if g.is_sparse else g.detach() for g in grads]
        length = squared(dense)
        if not self.before:
            self.own.append(length)
        elif len(self.before) == len(dense):
            self.own.append(squared(torch._foreach_sub(dense, self.before)))
        else:
            return
        self.sums.append(length)
        self.kinds.append((examples, averaged))
        self.before = [g.clone() for g in dense]

    def parts(self, processes: int = 1) -> tuple[float, float] | None:
        """Noise and signal from the first passes of the same kind; None for fewer than 2 passes.

        Under DistributedDataParallel the last pass alone may be a mean over processes.
        """
        kinds = [*self.kinds, None]
        m = next((i for i, kind in enumerate(kinds) if kind != kinds[0]), 0)
        if m < 2 or not self.kinds[0][0]:
            return None
        examples, averaged = self.kinds[0]
        b = examples * (processes if averaged else 1)
        return two_sizes(sum(self.own[:m]) / m, self.sums[m - 1] / m**2, b, m * b)


class LocalGradient:
    """Squared norm of the gradient of this process, before the average over processes."""

    def __init__(self, parameters: Sequence[nn.Parameter]) -> None:
        self.parameters = [p for p in parameters if p.requires_grad]
        self.squares: dict[int, Tensor] = {}
        self._handles: list[RemovableHandle] = [
            p.register_hook(self._take(i)) for i, p in enumerate(self.parameters)
        ]

    def _take(self, i: int):  # type: ignore[no-untyped-def]  # a hook of torch
        def take(g: Tensor) -> None:
            with torch.no_grad():
                self.squares[i] = g.detach().float().square().sum()

        return take

    def parts(self, examples: int, processes: int) -> tuple[float, float] | None:
        """Noise and signal, once gradients are averaged; None if some processes did not get one."""
        self.remove()
        grads = [self.parameters[i].grad for i in self.squares]
        if not examples or not grads or any(g is None for g in grads):
            return None
        local = float(torch.stack(list(self.squares.values())).sum())
        mean = squared([g for g in grads if g is not None])
        return two_sizes(local, mean, examples, processes * examples)

    def remove(self) -> None:
        """Remove the hooks."""
        for handle in self._handles:
            handle.remove()
        self._handles = []


def squared(tensors: Sequence[Tensor]) -> float:
    """Squared Euclidean norm of all tensors together."""
    return sum(n * n for n in norms(tensors))
