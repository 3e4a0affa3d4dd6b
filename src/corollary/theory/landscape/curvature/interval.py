"""A number with the interval it lies in."""

from dataclasses import dataclass

from corollary.errors import InputError


@dataclass(frozen=True)
class Estimate:
    """A value, and an interval that contains the truth with probability ``level``.

    Example:
        >>> print(Estimate(2.0, 1.9, 2.2, 0.95))
        2 (95 % interval 1.9 to 2.2)
    """

    value: float
    low: float
    high: float
    level: float = 0.95

    @property
    def half_width(self) -> float:
        """Half the interval's length."""
        return (self.high - self.low) / 2

    def __contains__(self, x: float) -> bool:
        return self.low <= x <= self.high

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        percent = f"{100 * self.level:g} % interval"
        return f"{self.value:.4g} ({percent} {self.low:.4g} to {self.high:.4g})"


def check_level(level: float) -> None:
    """Refuse what is not a confidence level."""
    if not 0 < level < 1:
        raise InputError(f"level must lie between 0 and 1, like 0.95, got {level}")
