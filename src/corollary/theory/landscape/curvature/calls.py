"""One way to call every measurement: with a landscape, an operator, or a model, a loss and data."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, overload, runtime_checkable

from torch import Tensor, nn

from corollary.theory.landscape.curvature.landscape import Landscape

P = ParamSpec("P")
S = TypeVar("S", contravariant=True)
R = TypeVar("R", covariant=True)


@runtime_checkable
class Measurement(Protocol[S, P, R]):
    """``measure(landscape, ...)`` or ``measure(model, loss, data, ...)``."""

    @overload
    def __call__(self, subject: S, /, *args: P.args, **options: P.kwargs) -> R: ...
    @overload
    def __call__(
        self,
        subject: nn.Module,
        loss: Callable[..., Tensor],
        data: Any,
        /,
        *args: P.args,
        **options: P.kwargs,
    ) -> R: ...


def of_model(measure: Callable[Concatenate[S, P], R]) -> Measurement[S, P, R]:
    """The same function, which also takes ``model, loss, data`` in place of a landscape.

    Example:
        >>> @of_model
        ... def size(landscape: Landscape) -> int:
        ...     return landscape.size
        >>> model, mse, data = nn.Linear(2, 1), nn.MSELoss(), []
        >>> size(model, mse, data), size(Landscape(model, mse, data))
        (3, 3)
    """

    def of_parts(model: nn.Module, loss: Any, data: Any, *args: Any, **options: Any) -> R:
        return measure(Landscape(model, loss, data), *args, **options)  # type: ignore[arg-type]  # S takes a Landscape

    of_parts.__qualname__ = getattr(measure, "__qualname__", "measure")  # named in Python's errors

    @wraps(measure)
    def either(subject: Any, *args: Any, **options: Any) -> R:
        call = of_parts if isinstance(subject, nn.Module) else measure
        return call(subject, *args, **options)

    return either  # type: ignore[return-value]  # both overloads, told apart by the first argument
