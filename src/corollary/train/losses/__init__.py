r"""Losses: what a network's outputs are asked to be.

Twelve losses for classification in the notation of one table, :math:`o` the outputs (logits),
:math:`y` the target as a vector and :math:`p=\operatorname{softmax}(o)`, with the logistic loss and
the error rate beside them. Each takes outputs ``(n, k)`` and targets, as class numbers ``(n,)`` or
as vectors ``(n, k)``, and a ``reduction`` (``mean`` over rows, ``sum`` or ``none``), so that any of
them can be handed to :func:`corollary.train.fit`.

:source: Mathematical Foundations of Deep Learning (slides), Objective, Table 1; Janocha and
    Czarnecki (2017), "On loss functions for deep neural networks in classification".
"""

from corollary.train.losses.distances import brier, chebyshev, expectation, l1, squared
from corollary.train.losses.distillation import DistillationLoss
from corollary.train.losses.hinge import hinge
from corollary.train.losses.logarithmic import (
    bce_with_logits,
    cross_entropy,
    soft_cross_entropy,
    squared_log,
)
from corollary.train.losses.similarity import cauchy_schwarz, tanimoto
from corollary.train.losses.smoothing import LabelSmoothing
from corollary.train.losses.zero_one import error_rate, zero_one

__all__ = [
    "DistillationLoss",
    "LabelSmoothing",
    "bce_with_logits",
    "brier",
    "cauchy_schwarz",
    "chebyshev",
    "cross_entropy",
    "error_rate",
    "expectation",
    "hinge",
    "l1",
    "soft_cross_entropy",
    "squared",
    "squared_log",
    "tanimoto",
    "zero_one",
]
