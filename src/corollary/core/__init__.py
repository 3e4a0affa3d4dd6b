"""The base classes of claims and results, exams and findings, and figures."""

from corollary.core.batch import Batch
from corollary.core.claim import Claim
from corollary.core.derivation import Derivation, derive
from corollary.core.dots import band_of_runs, over_runs, scatter, unit_circle, with_intervals
from corollary.core.exam import Budget, Exam
from corollary.core.experiment import Experiment, Outcome, Published, Row
from corollary.core.figure import (
    Band,
    Curve,
    Figure,
    Graph,
    HeatMap,
    Histogram,
    Image,
    Level,
    Mark,
    Points,
    Regions,
)
from corollary.core.finding import Evidence, Finding, Severity, Status
from corollary.core.hypothesis import Hypothesis
from corollary.core.measurement import Count, Kept, Path, Reading, Sample, Series
from corollary.core.options import option
from corollary.core.picture import Marks, picture
from corollary.core.power_law import PowerLaw, loglog_fit
from corollary.core.proof import Proof, Step, eq, ge, le, let
from corollary.core.randomness import derived_seed, generator, normal, uniform
from corollary.core.relations import (
    Comparison,
    Relation,
    at_least,
    at_most,
    converges,
    equals,
    slope,
    within_interval,
)
from corollary.core.result import Refutation, Result
from corollary.core.shows import Along, Over, Parity, Show, Spread, Sweep
from corollary.core.subject import Subject
from corollary.core.suppose import Suppose, instead
from corollary.core.trial import Trial
from corollary.core.verdict import Verdict
from corollary.core.witness import below, mean_is, mean_square_is, near

__all__ = [
    "Along",
    "Band",
    "Batch",
    "Budget",
    "Claim",
    "Comparison",
    "Count",
    "Curve",
    "Derivation",
    "Evidence",
    "Exam",
    "Experiment",
    "Outcome",
    "Published",
    "Row",
    "Figure",
    "Finding",
    "Graph",
    "HeatMap",
    "Histogram",
    "Hypothesis",
    "Image",
    "Kept",
    "Level",
    "Mark",
    "Marks",
    "Over",
    "Parity",
    "Path",
    "Points",
    "PowerLaw",
    "Proof",
    "Reading",
    "Refutation",
    "Regions",
    "Relation",
    "Result",
    "Sample",
    "Series",
    "Severity",
    "Show",
    "Spread",
    "Step",
    "Status",
    "Subject",
    "Suppose",
    "Sweep",
    "Trial",
    "Verdict",
    "at_least",
    "at_most",
    "band_of_runs",
    "below",
    "converges",
    "derived_seed",
    "derive",
    "eq",
    "equals",
    "ge",
    "generator",
    "instead",
    "le",
    "let",
    "loglog_fit",
    "mean_is",
    "mean_square_is",
    "near",
    "normal",
    "option",
    "over_runs",
    "picture",
    "scatter",
    "slope",
    "uniform",
    "unit_circle",
    "with_intervals",
    "within_interval",
]
