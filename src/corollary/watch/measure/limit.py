"""How much of its stability limit the optimizer uses, read on the loop's own step."""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.optim import SGD, Optimizer

from corollary.errors import NotApplicableError, one_line
from corollary.theory.optimization.stability import KNOWN
from corollary.watch.hooks import has_hooks
from corollary.watch.measure.curvature import CurvatureReader, Stability
from corollary.watch.measure.second_pass import SecondPassHessian
from corollary.watch.state import Loop

PRODUCTS = 2
SETTLED = 8  # steps of an adaptive method before its limit is looked at


class LimitReader:
    """Measures on the graph of the step, or by a second pass if that is not possible.

    Args:
        loop: The run.
        memory: Bytes that a reading may hold.
    """

    def __init__(self, loop: Loop, memory: int) -> None:
        self.loop, self.memory = loop, memory
        self.reader: CurvatureReader | None = CurvatureReader(PRODUCTS)
        self.second_pass = False  # whether the graph has no second derivative

    def parameters(self) -> list[Tensor]:
        """The parameters of the main optimizer that can be measured now."""
        main = self.loop.main
        if self.reader is None or main is None:
            return []
        if not any(float(group["lr"]) > 0 for group in main.optimizer.param_groups):
            return []  # the first step of a warm-up: every curvature is stable
        # What an adaptive method divides by is an average that its first steps only begin.
        fixed = isinstance(main.optimizer, SGD)
        if not fixed and main.steps < SETTLED:
            return []
        return [
            p for p in main.parameters if p.requires_grad and (fixed or main.optimizer.state.get(p))
        ]

    def read(self, root: Tensor, parameters: Sequence[Tensor]) -> Stability | None:
        """Measure; None if that was not possible, now or for the rest of the run."""
        loop, main = self.loop, self.loop.main
        if self.reader is None or main is None:
            return None
        why = ""
        if (PRODUCTS + 5) * 4 * sum(p.numel() for p in parameters) > self.memory:
            why = "the network is too large for the given memory limit"
        elif not isinstance(main.optimizer, KNOWN):
            why = f"the stability limit of {type(main.optimizer).__name__} is not known"
        elif loop.recomputed:  # a second backward pass would be in place of the loop's own
            why = "layers are checkpointed, and can be recomputed for one backward pass only"
        else:
            try:
                return self._read(self.reader, root, main.optimizer, parameters)
            except (NotApplicableError, NotImplementedError, RuntimeError) as error:
                why = one_line(str(error)) if self.second_pass else ""
            self.second_pass = True  # the next reading makes the pass again
        if why:
            self.reader = None
            loop.problems.append(f"curvature is not measured: {why}")
        return None

    def _read(
        self,
        reader: CurvatureReader,
        root: Tensor,
        optimizer: Optimizer,
        parameters: Sequence[Tensor],
    ) -> Stability:
        loop = self.loop
        if not self.second_pass:
            return reader.read(root, optimizer, parameters)
        if not loop.passes or has_hooks(loop.inner):
            raise NotApplicableError("the hooks of the model would run a second time")
        found, loop.measuring = loop.passes[-1], True
        try:
            return reader.read(
                root,
                optimizer,
                parameters,
                lambda: SecondPassHessian(root, found, loop.inner, parameters),
            )
        finally:
            loop.measuring = False

    def keep_output(self, output: object) -> None:
        """A second pass starts from the output of the first."""
        if self.second_pass and torch.is_grad_enabled() and self.loop.passes:
            self.loop.passes[-1].output = output
