"""What all attacks share: a model borrowed for the time, inputs that are checked, a result."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float, Shaped
from torch import Generator, Tensor, nn

from corollary.errors import InputError, InputTypeError
from corollary.theory.modules.keeping import kept
from corollary.theory.robustness.balls import Norm, per_row, size
from corollary.theory.robustness.scores import check_outputs, is_fooled, losses
from corollary.theory.wording import percent, span

Model = Callable[[Tensor], Any]  # a module, or any function from inputs to outputs
Box = tuple[float, float] | None


@runtime_checkable
class Attack(Protocol):
    """A search for perturbed inputs within a ball; see :class:`Perturbed` for what it gives."""

    @property
    def eps(self) -> float | int:
        """Largest size of a perturbation."""
        ...

    @property
    def norm(self) -> Norm:
        """In which it is measured."""
        ...

    def __call__(
        self, model: Model, x: Tensor, y: Tensor, *, rng: int | Generator = 0
    ) -> "Perturbed":
        """Perturb the inputs and evaluate the model on them."""
        ...

    def inputs(self, model: Model, x: Tensor, y: Tensor, *, rng: int | Generator = 0) -> Tensor:
        """The perturbed inputs alone, as adversarial training needs them."""
        ...


@dataclass(frozen=True)
class Perturbed:
    """What an attack found, one entry per row."""

    x: Float[Tensor, "n *s"]  # perturbed inputs
    delta: Float[Tensor, "n *s"]  # what was added
    loss: Float[Tensor, " n"]  # there
    clean_loss: Float[Tensor, " n"]  # at the original inputs
    fooled: Bool[Tensor, " n"]  # the label is no longer ahead
    clean_fooled: Bool[Tensor, " n"]  # it was not ahead in the first place
    queries: int | None = None  # outputs asked for a row, for attacks that count them
    reached: Bool[Tensor, " n"] | None = None  # the target is ahead, for attacks that have one

    def __repr__(self) -> str:
        far = span(self.delta.abs().flatten(1).amax(1))
        asked = "" if self.queries is None else f"; {self.queries} queries per input"
        return (
            f"{len(self.x)} inputs, {percent(self.accuracy)} right before and "
            f"{percent(self.robust_accuracy)} under attack; largest change of an entry {far}{asked}"
        )

    def size(self, norm: Norm) -> Float[Tensor, " n"]:
        """Norm of each perturbation."""
        return size(self.delta, norm)

    @property
    def accuracy(self) -> float:
        """Share of rows that were right before."""
        return 1 - float(self.clean_fooled.cpu().double().mean())

    @property
    def robust_accuracy(self) -> float:
        """Share of rows that no perturbation found has fooled: an upper bound on the true one."""
        return 1 - float(self.fooled.cpu().double().mean())


def judged(
    f: Model,
    x: Tensor,
    y: Tensor,
    moved: Tensor,
    clean: Tensor,
    *,
    may_return: bool = True,
    target: Tensor | None = None,
) -> Perturbed:
    """Value the perturbed inputs; a row on which the search only lost ground keeps its input."""
    out = outputs(f, moved)
    if may_return:
        worse = _lost_ground(clean, out, y, target)
        if bool(worse.any()):
            moved = torch.where(per_row(worse, x), x, moved)
            out = torch.where(per_row(worse, out), clean, out)
    reached = None if target is None else ~is_fooled(out, target)
    return Perturbed(
        x=moved,
        delta=moved - x,
        loss=losses(out, y),
        clean_loss=losses(clean, y),
        fooled=is_fooled(out, y),
        clean_fooled=is_fooled(clean, y),
        reached=reached,
    )


def _lost_ground(clean: Tensor, out: Tensor, y: Tensor, target: Tensor | None) -> Tensor:
    """Rows that were better off before: done then and not now, or the same with a lower value."""
    labels, sign = (y, 1) if target is None else (target, -1)
    was, now = (is_fooled(o, labels) != (sign < 0) for o in (clean, out))
    before, after = (sign * losses(o, labels) for o in (clean, out))
    return (was & ~now) | ((after < before) & (was == now))


def outputs(f: Model, x: Tensor) -> Tensor:
    """The model's outputs, without a graph."""
    with torch.no_grad():
        out: Tensor = f(x)
    return out


@contextmanager
def borrowed(model: Model) -> Iterator[Model]:
    """The model in evaluation mode, to be read only; given back unchanged.

    Example:
        >>> net = nn.Sequential(nn.Linear(2, 2), nn.Dropout())
        >>> with borrowed(net) as f:
        ...     inside = f.training
        >>> inside, net.training
        (False, True)
    """
    if not isinstance(model, nn.Module):
        yield model
        return
    with kept(model, read_only=True):
        model.eval()
        yield model


def check_inputs(x: Tensor, y: Tensor, box: Box) -> None:
    """Real inputs inside the stated box, and a label for each.

    Example:
        >>> check_inputs(torch.rand(3, 2), torch.zeros(3, dtype=torch.int64), (0.0, 1.0))
    """
    if not isinstance(x, Tensor) or not x.is_floating_point():
        what = x.dtype if isinstance(x, Tensor) else type(x).__name__
        raise InputTypeError(f"an attack needs inputs of real numbers, got {what}")
    if x.dim() < 2 or len(x) == 0 or y.shape != (len(x),):
        raise InputError(
            "an attack needs inputs (n, ...) and one label for each, got shapes "
            f"{tuple(x.shape)} and {tuple(y.shape)}"
        )
    if box is not None:
        low, high = (float(v) for v in x.aminmax())
        if not (box[0] <= low and high <= box[1]):
            raise InputError(
                f"the inputs run from {low:g} to {high:g}, outside the box {box}; pass "
                "box=(lowest, highest) of valid inputs, or box=None if every number is valid"
            )


def check_target(clean: Tensor, target: Tensor | None) -> None:
    """None, or one class for each row that the model knows.

    Example:
        >>> check_target(torch.zeros(2, 3), torch.tensor([0, 2]))
    """
    if target is None:
        return
    if target.shape != (len(clean),):
        raise InputError(
            f"expected one target class for each of {len(clean)} inputs, got shape "
            f"{tuple(target.shape)}"
        )
    check_outputs(clean, target)


def clean_outputs(f: Model, x: Tensor, y: Shaped[Tensor, " n"]) -> Tensor:
    """Outputs at the original inputs, checked against the labels."""
    out = outputs(f, x)
    check_outputs(out, y)
    return out


def check_box(box: Box) -> None:
    """None, or two bounds in order.

    Example:
        >>> check_box((0.0, 1.0))
    """
    if box is not None and not (len(box) == 2 and box[0] < box[1]):
        raise InputError(f"box must be (lowest, highest) or None, got {box}")
