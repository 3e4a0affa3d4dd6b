"""The grammar: claims and their results, exams and their findings, figures."""

from corollary.core.batch import Batch
from corollary.core.claim import Claim
from corollary.core.exam import Budget, Exam
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
from corollary.core.finding import Finding, Severity, Status
from corollary.core.fit import PowerLaw, loglog_fit
from corollary.core.hypothesis import Hypothesis
from corollary.core.measurement import Count, Reading, Sample, Series
from corollary.core.options import option
from corollary.core.randomness import derived_seed, generator
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
from corollary.core.subject import Subject
from corollary.core.verdict import Verdict

__all__ = [
    "Band",
    "Batch",
    "Budget",
    "Claim",
    "Comparison",
    "Count",
    "Curve",
    "Exam",
    "Figure",
    "Finding",
    "Graph",
    "HeatMap",
    "Histogram",
    "Hypothesis",
    "Image",
    "Level",
    "Mark",
    "Points",
    "PowerLaw",
    "Reading",
    "Refutation",
    "Regions",
    "Relation",
    "Result",
    "Sample",
    "Series",
    "Severity",
    "Status",
    "Subject",
    "Verdict",
    "at_least",
    "at_most",
    "converges",
    "derived_seed",
    "equals",
    "generator",
    "loglog_fit",
    "option",
    "slope",
    "within_interval",
]
