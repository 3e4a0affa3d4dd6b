"""The playground in a notebook: a small network on points of the plane, trained by buttons."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import torch
from markupsafe import escape

from corollary.core.figure import Curve, Figure, HeatMap, Points, Role
from corollary.lab.controls import Control, text
from corollary.lab.settings import PlaySettings
from corollary.lab.work.training import GRID, Playground
from corollary.report.svg import figure_svg
from corollary.widget.form import FormWidget, texts

MOST = 10_000  # steps of one order
# The colours of the scale beside the picture: blue below zero, red above.
CLASSES: tuple[tuple[str, int, Role], ...] = (
    ("class −1", -1, "measured"),
    ("class +1", 1, "predicted"),
)


class PlaygroundWidget(FormWidget):
    """A network that is trained a few steps at a time; a change of a setting begins anew."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        given = texts(settings)
        fields = [_control(field, given) for field in dataclasses.fields(PlaySettings)]
        super().__init__(fields, given, trains=True)
        self.on_msg(self._ordered)

    def compute(self) -> None:
        """Begin anew with the settings there are."""
        self.play = Playground(PlaySettings.of(texts(self.values)))
        self.rows = [self.play.row()]
        self._show(theory=True)

    def train(self, steps: int = 100, *, theory: bool = True) -> None:
        """Train so many steps, or until the weights are not finite."""
        for _ in range(min(steps, MOST)):
            if not self.play.finite:
                break
            self.play.step()
        self.rows.append(self.play.row())
        self._show(theory=theory)

    def _ordered(self, _: Any, order: Any, buffers: Any) -> None:
        """What a button asks: ``{"train": steps, "rest": whether it pauses}`` or ``reset``."""
        if order.get("reset"):
            self.compute()
        else:
            self.train(int(order["train"]), theory=bool(order.get("rest")))

    def _show(self, *, theory: bool) -> None:
        told = self.play.theory() if theory else {}
        words = [f"step {self.play.steps}", *_losses(self.rows[-1])]
        advice = told.get("advice", {}).get("text", "")
        figures = [self.plane(), self.losses()] if len(self.rows) > 1 else [self.plane()]
        pictures = "".join(f"<div>{figure_svg(figure)}</div>" for figure in figures)
        self.page = (
            f'<p role="status"><b>{escape(", ".join(words))}</b> {escape(advice)}</p>'
            f'<div class="figures">{pictures}</div>'
        )

    @torch.no_grad()
    def plane(self) -> Figure:
        """The output of the network over the plane, and the data."""
        play, reach = self.play, self.play.reach
        output = play.model(play.grid)[:, 0].nan_to_num().clamp(-3, 3).reshape(GRID, GRID)
        edges = (-reach, reach)
        cells = HeatMap(output, edges, edges, label="output")
        title = "The output of the network and the data"
        return Figure(title, "x₁", "x₂", (cells, *self._points()), equal=True)

    def losses(self) -> Figure:
        """Training and test loss over the steps."""
        steps = [row["step"] for row in self.rows]
        train, test = ([_plain(row[key]) for row in self.rows] for key in ("loss", "test"))
        curves = (
            Curve(train, steps, label="training"),
            Curve(test, steps, label="test", role="other"),
        )
        return Figure("Loss", "steps", "loss", curves)

    def _points(self) -> list[Points]:
        x, y = self.play.x, self.play.y
        if self.play.settings.regression:
            return [Points(x[:, 0], x[:, 1], label="data", role="other")]
        return [
            Points(x[y.sign() == sign, 0], x[y.sign() == sign, 1], label=label, role=role)
            for label, sign, role in CLASSES
        ]

    def __repr__(self) -> str:
        return f"<PlaygroundWidget step {self.play.steps}, {', '.join(_losses(self.rows[-1]))}>"


def _control(field: "dataclasses.Field[Any]", given: Mapping[str, str]) -> Control:
    """A setting as a field: a choice, a slider or text."""
    about, default = field.metadata, text(field.default)
    value, label = given.get(field.name, default), about["label"]
    if "choices" in about:
        return Control(field.name, label, "choice", value, default, choices=about["choices"])
    if "low" not in about:
        return Control(field.name, label, "text", value, default)
    whole = isinstance(field.default, int)
    limits = {"low": about["low"], "high": about["high"], "start": about["low"]}
    return Control(
        field.name, label, "slider", value, default, whole, about["log"], **limits, end=about["end"]
    )


def _losses(row: dict[str, Any]) -> list[str]:
    names = (("loss", "training"), ("test", "test"))
    return [f"{word} loss {_plain(row[key]):.4g}" for key, word in names]


def _plain(number: float | None) -> float:
    return float("nan") if number is None else number
