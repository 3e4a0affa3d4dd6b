"""Spectra of a subject's weights, for the exams that need no data."""

from dataclasses import dataclass

from corollary.core import Budget, Subject
from corollary.errors import NotApplicableError
from corollary.theory.generalization.weight_spectra.layers import WeightMatrix, layers_of
from corollary.theory.generalization.weight_spectra.portrait import Portrait, cost, portrait

SMALLEST = 8  # rows and columns, below which a spectrum says nothing
FALSE_ALARMS = 1e-3  # probability that noise shows a spike in any of the layers
# Operations a second of the nominal machine, where they are not products of matrices, and what a
# layer costs at least.
PACE, OVERHEAD = 2e9, 2e-3


@dataclass(frozen=True)
class LayerSpectra:
    """Spectra of the layers in order, and the layers that were left out."""

    portraits: tuple[Portrait, ...]
    too_large: tuple[str, ...]  # for the budget


def layer_spectra_of(subject: Subject, budget: Budget) -> LayerSpectra:
    """All spectra that fit into half of the budget, and those already computed.

    Raises:
        NotApplicableError: if no weight is large enough to have a spectrum.
    """
    layers = [layer for layer in layers_of(subject.model) if _speaks(layer)]
    if not layers:
        raise NotApplicableError(
            f"no weight is a matrix of finite numbers with {SMALLEST} rows and columns"
        )
    known: dict[str, Portrait] = subject.memo.setdefault("portraits", {})
    spent = 0.0
    for layer in sorted(layers, key=cost):
        spent += OVERHEAD + cost(layer) / PACE
        fits = layer.weight.numel() * 40 < budget.bytes
        if layer.name not in known and fits and spent < budget.left / 2:
            known[layer.name] = portrait(layer, delta=FALSE_ALARMS / len(layers))
    names = [layer.name for layer in layers]
    if not known:
        raise NotApplicableError("the weights are too large for the budget")
    return LayerSpectra(
        tuple(known[name] for name in names if name in known),
        tuple(name for name in names if name not in known),
    )


def _speaks(layer: WeightMatrix) -> bool:
    """Whether the weight is large enough, finite and not zero."""
    if min(layer.rows.shape) < SMALLEST:
        return False
    return bool(layer.weight.isfinite().all()) and bool((layer.weight != 0).any())
