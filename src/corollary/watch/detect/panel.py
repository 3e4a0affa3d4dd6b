"""The detectors of a run; one that raises an error is switched off."""

from collections.abc import Callable, Sequence
from typing import Any

from corollary.watch.detect.detector import Detector
from corollary.watch.detect.every import detectors
from corollary.watch.state import Loop

OCCASIONS = [name for name in vars(Detector) if name.startswith("on_")]

Listeners = dict[str, list[tuple[Detector, Callable[..., None]]]]


class Panel:
    """Calls the detectors; on steps not followed closely, only those that need every step."""

    def __init__(self, loop: Loop, every: Sequence[Detector] | None = None) -> None:
        self.loop = loop
        self._arrange(detectors() if every is None else every)

    def _arrange(self, every: Sequence[Detector]) -> None:
        self.detectors = list(every)
        self._close = _by_occasion(every)
        self._always = _by_occasion([d for d in every if d.every_step])

    def tell(self, occasion: str, *facts: Any, close: bool = True) -> None:
        """Call the methods of this name."""
        for detector, method in (self._close if close else self._always)[occasion]:
            try:
                method(self.loop, *facts)
            except Exception as error:
                self._arrange([d for d in self.detectors if d is not detector])
                self.loop.failed(f"{type(detector).__name__}.{occasion}", error)


def _by_occasion(every: Sequence[Detector]) -> Listeners:
    """For each event, the detectors that override its method."""
    return {
        name: [(d, getattr(d, name)) for d in every if name in vars(type(d))] for name in OCCASIONS
    }
