"""What a check of the width or depth has found: exponents per layer, theory's, and a verdict."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from corollary.core.figure import Curve, Figure, Mark
from corollary.core.numbers import to_json_number
from corollary.theory.scaling.abc import Role
from corollary.theory.scaling.depth import Place
from corollary.theory.scaling.exponents import Sizes as Predicted
from corollary.train.scaling.change import Change
from corollary.train.scaling.exponent import Exponent
from corollary.train.scaling.judging import Status, Verdict, judged, verdict

SHOWN = 6  # layers that are drawn, at most


@dataclass(frozen=True)
class LayerScaling:
    """How one layer scales with the width, or a group of layers with the depth."""

    name: str
    role: Role | Place
    given: Exponent  # of its input at the start
    activation: Exponent  # of its output at the start
    passed: Exponent  # of the next layer's input at the start, or of the network's output
    update: Exponent  # change of its output by small steps on its matrices
    logits: Exponent  # change of the network's output by these steps
    full: Exponent  # as update, by full steps
    sizes: tuple[float, ...] = ()  # of the update at each width, geometric mean over seeds
    theory: dict[str, Predicted] = field(default_factory=dict)  # by parametrisation
    output: bool = False  # whether it gives the network's output

    @property
    def behind(self) -> float:
        """The exponent of a multiplier or a norm between this layer and the next; 0 without one.

        It is told from the next layer's input: that does not depend on the width, and this
        layer's output does. Between the last layer and the network's output it is always told.
        """
        if self.output or (self.passed.sign == 0 and self.activation.sign != 0):
            return self.passed.nearest - self.activation.nearest
        return 0.0

    @property
    def moved(self) -> Exponent:
        """The change that decides: in the depth the output's, as one block of many moves less."""
        return self.logits if isinstance(self.role, Place) else self.update

    @property
    def status(self) -> Status:
        """Whether it transfers; what comes behind it is part of it."""
        if self.output:
            return judged(self.passed, self.logits, self.logits, output=True)
        if isinstance(self.role, Place):
            return judged(self.activation, self.logits, self.logits, output=False)
        start, small, full = (e + self.behind for e in (self.activation, self.update, self.full))
        return judged(start, small, full, output=False)


@dataclass(frozen=True)
class WidthCheck:
    """The exponents of a network in its width (or depth), and what they mean."""

    module: str
    optimizer: str
    widths: tuple[int, ...]
    seeds: int
    steps: int
    layers: tuple[LayerScaling, ...]
    output: LayerScaling
    changes: tuple[Change, ...] = ()
    code: str = ""
    confirmed: "WidthCheck | None" = None  # the same check after the change
    along: str = "width"
    notes: tuple[str, ...] = ()

    @property
    def status(self) -> Status:
        """The most severe of all layers and of the output."""
        return max((row.status for row in self.rows), key=lambda status: status.rank)

    @property
    def rows(self) -> tuple[LayerScaling, ...]:
        """The layers, then the output."""
        return (*self.layers, self.output)

    @property
    def verdict(self) -> Verdict:
        """The status in words."""
        return verdict(self.status, self.rows, self.along)

    @property
    def sentence(self) -> str:
        """The verdict in one sentence or two."""
        return ": ".join(self.verdict)

    @property
    def hidden_by_large_steps(self) -> str:
        """What full steps do not show and small ones do; empty if they agree."""
        small, full = self.output.update, self.output.full
        if small.low > full.high and small.value - full.value > 0.1:
            return (
                f"After {self.steps} full steps the output's change has the exponent {full}; small "
                f"steps show {small}. Large steps saturate and hide the exponent: the verdict "
                "rests on the small ones."
            )
        return ""

    @property
    def figure(self) -> Figure:
        """Changes of the activations over the width."""
        return Figure(
            f"Change of activations by {self.steps} small steps",
            self.along,
            f"relative to the smallest {self.along}",
            tuple(self._marks()),
            log_x=True,
            log_y=True,
            caption=f"Means over {self.seeds} seeds, with their slopes. Flat lines transfer.",
        )

    def _marks(self) -> Iterator[Mark]:
        for exponent in (0.5, -0.5):
            guide = [(n / self.widths[0]) ** exponent for n in self.widths]
            label = "exponents +1/2 and −1/2" if exponent > 0 else ""
            yield Curve(guide, self.widths, label, "predicted", dashed=True)
        drawn = [row for row in self.rows if row.sizes and min(row.sizes) > 0]
        step = max(1, -(-len(drawn) // SHOWN))
        for row in [*drawn[:-1:step], *drawn[-1:]]:
            relative = [size / row.sizes[0] for size in row.sizes]
            yield Curve(relative, self.widths, f"{row.name}: {row.update.value:+.2f}", "other")

    def to_json(self) -> dict[str, Any]:
        """Plain data, ready for ``json.dumps``."""
        plain: dict[str, Any] = _plain(asdict(self))
        plain["confirmed"] = None if self.confirmed is None else self.confirmed.to_json()
        for row, data in zip(self.rows, [*plain["layers"], plain["output"]], strict=True):
            data["status"] = row.status.value
        words = {"status": self.status.value, "sentence": self.sentence}
        return {"schema": 1} | words | {"hidden": self.hidden_by_large_steps} | plain

    def __str__(self) -> str:
        from corollary.report.scale_text import scale_text

        return scale_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from corollary.report.scale_page import scale_html

        return scale_html(self)


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return to_json_number(value)
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, list | tuple) else value
