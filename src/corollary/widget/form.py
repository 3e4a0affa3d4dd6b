"""What both widgets share: fields in the browser, their values in Python, and what is shown."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import anywidget
import traitlets

from corollary.errors import CorollaryError, one_line
from corollary.lab.controls import Control, text
from corollary.lab.pages import control_html

HERE = Path(__file__).parent / "assets"
CONTROLS = Path(__file__).parents[1] / "lab" / "static" / "controls.js"


@lru_cache(maxsize=1)
def script() -> str:
    """One module: the sliders of the lab, then ours."""
    sliders = CONTROLS.read_text(encoding="utf-8").replace("export ", "")
    kept = [line for line in sliders.splitlines() if not line.startswith("import ")]
    return "\n".join([*kept, (HERE / "widget.js").read_text(encoding="utf-8")])


class FormWidget(anywidget.AnyWidget):
    """Fields and what comes of them; ``values`` has the fields that are not at their defaults."""

    _esm: ClassVar[str] = script()
    _css: ClassVar[str] = (HERE / "widget.css").read_text(encoding="utf-8")

    form = traitlets.Unicode().tag(sync=True)  # the fields as HTML
    values: "traitlets.Dict[str, Any]" = traitlets.Dict().tag(sync=True)
    page = traitlets.Unicode().tag(sync=True)  # what is shown, as HTML
    told = traitlets.Unicode().tag(sync=True)  # what is wrong with the values, in a sentence
    answered = traitlets.Int().tag(sync=True)  # how many changes have been dealt with
    moving = traitlets.Bool(True).tag(sync=True)  # whether it follows a slider on its way
    trains = traitlets.Bool(False).tag(sync=True)  # whether there are buttons to train

    def __init__(self, controls: list[Control], values: Mapping[str, Any], **traits: Any) -> None:
        form = "".join(map(control_html, controls))
        super().__init__(form=form, values=texts(values), **traits)
        self.compute()  # what does not fit is told to the caller
        self.observe(self._changed, names="values")

    def compute(self) -> None:
        """Show what the values give; the last good page stays if they are refused."""
        raise NotImplementedError

    def _changed(self, change: Any) -> None:
        self.told = ""
        try:
            self.compute()
        except CorollaryError as error:
            self.told = one_line(str(error))
        self.answered += 1


def texts(values: Mapping[str, Any]) -> dict[str, str]:
    """Values as the command line takes them.

    Example:
        >>> texts({"gamma": 0.2, "sizes": [8, 16], "bias": True})
        {'gamma': '0.2', 'sizes': '8,16', 'bias': 'true'}
    """
    plain = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
    return {name: text(value) for name, value in plain.items()}
