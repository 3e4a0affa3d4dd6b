"""A claim with sliders: checked again in the kernel whenever an option changes."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import traitlets

from corollary.core import Result
from corollary.errors import OptionError
from corollary.lab.controls import Control, controls
from corollary.registry import COSTS, Entry
from corollary.report.html import result_html
from corollary.run.check import run
from corollary.widget.form import FormWidget, texts

SEED = Control("seed", "random seed", "number", "0", "0", whole=True, low=0.0)


class ClaimWidget(FormWidget):
    """One claim; ``result`` is the last one, and ``values`` may be set from Python, too."""

    result: "traitlets.Instance[Result]" = traitlets.Instance(Result)

    def __init__(self, entry: Entry, options: Mapping[str, Any]) -> None:
        self._entry = entry
        given = texts(options)
        fields = [*controls(entry, given), replace(SEED, value=given.get("seed", SEED.value))]
        super().__init__(fields, given, moving=entry.cost == COSTS[0])

    def compute(self) -> None:
        """Check the claim with the options and the seed that are set."""
        options = texts(self.values)
        seed = _seed(options.pop("seed", SEED.default))
        (result,) = run([self._entry], seed=seed, options=options).results
        self.result, self.page = result, result_html(result)

    def __repr__(self) -> str:
        return f"<ClaimWidget {self._entry.name} {self.result.sentence}>"


def _seed(text: str) -> int:
    try:
        seed = int(text)
    except ValueError:
        seed = -1
    if seed < 0:
        raise OptionError(f"expected a whole number of at least 0 as the seed, got '{text}'")
    return seed
