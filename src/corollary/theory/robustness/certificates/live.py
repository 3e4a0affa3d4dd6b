r"""Bounds with a graph, of a module that is still being trained.

The module is read once; its weights are looked up at each call, so gradients reach them through the
bounds. For a label y let :math:`\underline m_j(\epsilon)` be a lower bound on the margin
:math:`f_y-f_j` over the ball. The worst logits

.. math:: \hat z_y=0,\qquad\hat z_j=-\underline m_j(\epsilon)

give a loss that is at least the one of any input in the ball, if the loss depends on differences of
logits only and falls with each margin, as cross entropy does. The last affine layers are merged
with the difference (Gowal et al. call it elision), which is tighter than the difference of their
intervals. These bounds are those of real numbers: rounding is not paid for here, it is when
:class:`~corollary.theory.robustness.certificates.certifier.Certifier` certifies what was trained.

:source: Gowal et al. (2018), "On the effectiveness of interval bound propagation for training
    verifiably robust models", Section 3; Wong and Kolter (2018), "Provable defenses against
    adversarial examples via the convex outer adversarial polytope", Theorem 2, for the loss; Zhang
    et al. (2020), "Towards stable and efficient training of verifiably robust neural networks", for
    the mixture.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from corollary.errors import InputError
from corollary.theory.robustness.attack import Box, check_box, check_inputs
from corollary.theory.robustness.balls import Norm, check_ball
from corollary.theory.robustness.certificates.backward import lowest
from corollary.theory.robustness.certificates.certifier import Certifier
from corollary.theory.robustness.certificates.elision import (
    differences,
    others,
    short_margins,
)
from corollary.theory.robustness.certificates.region import Interval, Region
from corollary.theory.robustness.certificates.rules import bare_steps, steps
from corollary.theory.robustness.certificates.script import written
from corollary.theory.robustness.certificates.steps import Step
from corollary.theory.robustness.certificates.tape import Tape


class LiveBounds:
    """Differentiable bounds of one module's margins, with the weights it has at each call.

    Intervals cost two forward passes and their derivatives; ``mix > 0`` adds a backward pass a
    class. Layers are taken in evaluation mode: dropout is off, normalisation uses its running
    statistics.

    Args:
        model: A module of one input that returns logits (n, k), or one score per row.
        x: Inputs, of which only shape and number type matter.
        norm: ``linf`` or ``l2``.
        box: Valid inputs; None if every number is valid.

    Raises:
        NotApplicableError: for an operation that has no bounds; it is named with its layer.

    Example:
        >>> line = nn.Linear(2, 2, bias=False)
        >>> with torch.no_grad():
        ...     _ = line.weight.copy_(torch.tensor([[0.0, 0.0], [1.0, -2.0]]))
        >>> x, y = torch.tensor([[1.0, 0.0]]), torch.tensor([1])
        >>> margin = LiveBounds(line, x).margins(x, y, 0.25)
        >>> round(margin.item(), 4)  # 1 - 0.25 * 3
        0.25
        >>> margin.sum().backward()
        >>> line.weight.grad[1]  # x less 0.25 times the signs of the weights
        tensor([0.7500, 0.2500])
    """

    def __init__(
        self, model: nn.Module, x: Tensor, *, norm: Norm = "linf", box: Box = None
    ) -> None:
        check_ball(0.0, norm)
        check_box(box)
        if not isinstance(x, Tensor) or x.dtype not in (torch.float32, torch.float64):
            raise InputError("certificates need inputs of real numbers, float32 or float64")
        self.model, self.norm, self.box = model, norm, box
        self.script = written(model, x)
        with torch.no_grad():
            tape = self.script.tape(self.script.held(model))
            steps(tape, x)  # refuses what has no bounds
        self.shape = tape.value_shape(tape.output)
        self._like, self._last = x[:0].detach(), (tape, dict[str, Tensor]())

    def __repr__(self) -> str:
        return f"differentiable bounds for {self.norm} balls, with the weights of each call"

    def serves(self, model: nn.Module, x: Tensor) -> bool:
        """Whether these are the bounds of this module, for inputs such as these."""
        like = self._like
        same = (x.shape[1:], x.dtype, x.device) == (like.shape[1:], like.dtype, like.device)
        return model is self.model and same

    def margins(
        self,
        x: Float[Tensor, "n *s"],
        y: Int[Tensor, " n"] | Float[Tensor, " n"],
        eps: float | int | Float[Tensor, " n"],
        *,
        mix: float | int = 0.0,
    ) -> Float[Tensor, "n j"]:
        """Lower bounds on the margins against every other class, in their order.

        Args:
            x: Inputs.
            y: Labels; -1 and +1 for a single score.
            eps: Radii of the balls.
            mix: Share of CROWN-IBP in the bounds; what is left is the share of intervals.
        """
        check_inputs(x, y, self.box)
        if not 0 <= mix <= 1:
            raise InputError(f"expected a mix between 0 and 1, got {mix}")
        tape = self._tape()
        made, end = bare_steps(tape, x.detach()), tape.output
        region = Region(x, Certifier.radii(x, eps), self.norm, self.box)
        known = _intervals(made, region)
        if mix == 0:
            return short_margins(made, known, end, y, region)
        rows = differences(known[end].lower, y)
        deep = lowest(made, known, end, rows, region).view(len(x), -1)
        return deep if mix == 1 else short_margins(made, known, end, y, region).lerp(deep, mix)

    def worst(
        self,
        x: Float[Tensor, "n *s"],
        y: Int[Tensor, " n"] | Float[Tensor, " n"],
        eps: float | int | Float[Tensor, " n"],
        *,
        mix: float | int = 0.0,
    ) -> Float[Tensor, "n *k"]:
        """The worst logits: 0 for the label, and what is left of a margin, negative, for others.

        For a single score it is the one nearest to the other class, in the module's shape.

        Example:
            >>> line = nn.Linear(1, 3, bias=False).double()
            >>> _ = line.weight.data.copy_(torch.tensor([[1.0], [2.0], [4.0]]))
            >>> x, y = torch.ones(1, 1).double(), torch.tensor([1])
            >>> [round(z, 9) for z in LiveBounds(line, x).worst(x, y, 0.5)[0].tolist()]
            [-0.5, 0.0, 3.0]
        """
        margins = self.margins(x, y, eps, mix=mix)
        if self.shape in ((), (1,)):
            return (y[:, None] * margins).view(len(x), *self.shape)
        n, j = margins.shape
        return margins.new_zeros(n, j + 1).scatter(1, others(y, j + 1), -margins)

    def _tape(self) -> Tape:
        """With the weights of now: the last one, if it holds them themselves."""
        held = self.script.held(self.model)
        tape, last = self._last
        if not self.script.as_they_are or any(last.get(k) is not t for k, t in held.items()):
            tape = self.script.tape(held)
            self._last = (tape, held)
        return tape


def _intervals(made: Sequence[Step], region: Region) -> list[Interval]:
    known = [region.interval()]
    for step in made:
        known.append(step.interval([known[i] for i in step.inputs], region.eps))
    return known
