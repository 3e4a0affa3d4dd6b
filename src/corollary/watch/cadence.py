"""When to measure: a budget of work, counted in steps of the loop and not in seconds.

A measurement has a price in units of one training step (forward, backward, update). The total price
stays below an initial credit plus a fraction of the steps made. The same run is therefore measured
at the same steps on any machine, and the cost of a long run is this fraction.
"""

from dataclasses import dataclass, field

MOST = 16.0  # steps that the credit of one measurement may cost


@dataclass
class Cadence:
    """Prices and what has been spent, by the name of the measurement.

    Example:
        >>> cadence = Cadence(0.1, {"curvature": (5.0, 1.0)}, credit=3)
        >>> [step for step in range(120) if cadence.due("curvature", step)]
        [0, 1, 2, 50, 100]
    """

    share: float  # of the loop's work
    plan: dict[str, tuple[float, float]]  # price of one, and its part of the share
    credit: float = 3.0  # how many of each are given before anything was earned
    spent: dict[str, float] = field(default_factory=dict)
    last: dict[str, int] = field(default_factory=dict)

    def due(self, name: str, steps: int) -> bool:
        """Whether this may be measured now; if so, its price is charged."""
        price, part = self.plan[name]
        spent = self.spent.get(name, 0.0)
        allowed = min(self.credit, MOST / price) * price + self.share * part * steps
        # The credit is for the start of the run, at steps that spread out: 0, 1, 2, 4, 8, ...
        if spent + price > allowed + 1e-9 or steps < 2 * self.last.get(name, 0) <= 64:
            return False
        self.spent[name], self.last[name] = spent + price, steps
        return True

    def refund(self, name: str) -> None:
        """The measurement could not be made: refund its price."""
        self.spent[name] = self.spent.get(name, 0.0) - self.plan[name][0]
