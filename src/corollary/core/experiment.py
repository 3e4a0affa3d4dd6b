"""A published number, and the training that should reproduce it."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Self, dataclass_transform

from corollary.core.figure import Figure
from corollary.core.options import check_options


@dataclass(frozen=True)
class Published:
    """A number from the literature."""

    value: float
    source: str  # author, year, title, table
    differs: str = ""  # what is not as it was there; empty for an equal setting


class Row:
    """One line of the table: a name, what was published for it, and its settings.

    Example:
        >>> Row("GCN, Cora", Published(81.5, "Kipf and Welling (2017)"), data="cora").settings
        {'data': 'cora'}
    """

    def __init__(
        self, name: str, published: Published | None = None, *, note: str = "", **settings: Any
    ) -> None:
        self.name, self.published, self.settings = name, published, settings
        self.note = note  # why the published value is not reached, where that is known


@dataclass(frozen=True)
class Outcome:
    """The result of one run: the number in the table, and what else the page shows."""

    value: float
    figures: tuple[Figure, ...] = ()
    text: str = ""  # a sample, say
    numbers: dict[str, float] = field(default_factory=dict)  # more of them, by name


@dataclass_transform(frozen_default=True)
@dataclass(frozen=True)
class Experiment(ABC):
    """Data, model, training and metric. Fields are settings; an experiment is a frozen dataclass.

    A final experiment implements ``run`` and declares its rows. The docstring of its module says
    what is done, and its head is the entry in the catalogue of experiments.
    """

    metric: ClassVar[str]  # with its unit: "test accuracy in %"
    better: ClassVar[Literal["higher", "lower", "equal"]] = "higher"
    rows: ClassVar[tuple[Row, ...]]
    seeds: ClassVar[int] = 5
    quick: ClassVar[dict[str, Any]] = {}  # settings of a trial in seconds

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        dataclass(frozen=True)(cls)

    def __post_init__(self) -> None:
        check_options(self)

    @classmethod
    def of_row(cls, row: str, *, quick: bool = False) -> Self:
        """The experiment with the settings of one row, at reduced size with ``quick``."""
        (settings,) = (r.settings for r in cls.rows if r.name == row)
        whole = cls(**settings)
        return replace(whole, **cls.quick) if quick else whole

    @abstractmethod
    def run(self, seed: int) -> Outcome:
        """Train and measure; the same seed gives the same outcome."""
