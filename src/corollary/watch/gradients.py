"""What happens to ``.grad`` between two steps, read from the tensors and not from method calls.

A cleared gradient is ``None``, or was written to and is zero. An untouched gradient has the same
identity and version counter as before. It therefore does not matter whether gradients are cleared
by hand, through the model, through the optimizer or through a framework.
"""

from collections.abc import Sequence

from torch import Tensor, nn

MOST = 5  # parameters that are looked at in every pass; the others when measuring

Mark = tuple[int, int] | None  # identity and version of a gradient


def mark(p: Tensor) -> Mark:
    """What identifies the present content of a gradient."""
    grad = p.grad
    return None if grad is None else (id(grad), grad._version)


def probes(parameters: Sequence[nn.Parameter], most: int = MOST) -> list[nn.Parameter]:
    """A few trainable parameters, evenly spaced from the first to the last."""
    trained = [p for p in parameters if p.requires_grad]
    if len(trained) <= most:
        return trained
    return [trained[round(i * (len(trained) - 1) / (most - 1))] for i in range(most)]


def smallest(parameters: Sequence[nn.Parameter], most: int) -> list[nn.Parameter]:
    """The parameters that are cheapest to read."""
    return sorted(parameters, key=lambda p: p.numel())[:most]


def is_zero(p: Tensor) -> bool:
    """Whether there is no gradient, or one of zeros."""
    grad = p.grad
    if grad is None:
        return True
    dense = grad.coalesce().values() if grad.is_sparse else grad
    return not bool(dense.any())


class GradientLife:
    """Follows a few gradients of one optimizer: reached, cleared, left over."""

    def __init__(self, parameters: Sequence[nn.Parameter]) -> None:
        self.parameters = probes(parameters)
        self.seen: list[Mark] = [mark(p) for p in self.parameters]
        self.old: set[int] = set()  # positions whose gradient was already used by a step
        self.used: set[int] = set()  # positions whose gradient has leftovers added to
        self.reached: set[int] = set()  # positions that a backward pass wrote to since the step
        self.backwards = 0  # passes that reached one of them since the step
        self.cleared = 0  # passes since the step whose gradients were cleared before another pass
        self.turns: list[int] = []  # which optimizer steps had been made, for each of the passes

    def follows(self, other: "GradientLife") -> bool:
        """Whether it follows the same parameters."""
        return [id(p) for p in self.parameters] == [id(p) for p in other.parameters]

    def before_backward(self, turn: int) -> None:
        """Forget what was cleared since the last look.

        ``turn`` counts the steps of all optimizers.
        """
        wrote = bool(self.reached)
        for i, p in enumerate(self.parameters):
            if mark(p) != self.seen[i] and is_zero(p):
                self.old.discard(i)
                self.used.discard(i)
                self.reached.discard(i)
        if not self.reached:  # a new step, or a line search's next trial, begins
            # What another optimizer's step lies behind was written for that one.
            self.cleared += sum(t == turn for t in self.turns) if wrote else 0
            self.backwards, self.turns = 0, []
        self.seen = [mark(p) for p in self.parameters]

    def after_backward(self, turn: int) -> bool:
        """Record which parameters this pass reached; returns whether it reached any."""
        hit = {i for i, p in enumerate(self.parameters) if mark(p) != self.seen[i]}
        self.reached |= hit
        self.used |= hit & self.old
        if hit:
            self.backwards += 1
            self.turns.append(turn)
        self.seen = [mark(p) for p in self.parameters]
        return bool(hit)

    def cleared_after_backward(self) -> bool:
        """Whether the gradients of the passes are gone, so that a step would do nothing."""
        return bool(self.reached) and all(
            mark(self.parameters[i]) != self.seen[i] and is_zero(self.parameters[i])
            for i in self.reached
        )

    @property
    def leftover(self) -> bool:
        """Whether a gradient also contains the gradient of an earlier step."""
        return bool(self.used)

    def after_step(self) -> None:
        """Record that the present gradients have been used."""
        self.seen = [mark(p) for p in self.parameters]
        self.old = {i for i, m in enumerate(self.seen) if m is not None}
        self.used, self.reached, self.backwards = set(), set(), 0
        self.cleared, self.turns = 0, []
