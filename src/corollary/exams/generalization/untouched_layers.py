r"""Layers that are still at their initialisation.

A layer that was never given to the optimizer, or was replaced after training, still has its initial
weights: the entries are uniform or normal with the scale of a common initialisation, and the
spectrum is that of noise. Uniform entries are the clearest sign, since hardly any change leaves all
entries within their bound. The finding says how large a change could go unnoticed. A weight whose
spectrum is not that of a random matrix has been trained; an untouched layer is reported as a fault
only if other layers are trained.

:source: Marchenko and Pastur (1967), "Distribution of eigenvalues for some sets of random
    matrices"; the initialisations are those of torch.nn.init.
:kind: exam
:claims: marchenko_pastur
"""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from torch import Tensor

from corollary.core import Budget, Evidence, Exam, Finding, Reading, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.layer_spectra import layer_spectra_of
from corollary.exams.readings import counted, upwards
from corollary.exams.runs import LEARNS
from corollary.exams.trial_run import trial_run_of
from corollary.theory.generalization.weight_spectra.layers import WeightMatrix
from corollary.theory.generalization.weight_spectra.marchenko_pastur import (
    MarchenkoPastur,
    null_distances,
)
from corollary.theory.generalization.weight_spectra.portrait import Portrait
from corollary.theory.generalization.weight_spectra.random_start import (
    FEWEST,
    RandomStart,
    random_start,
)

DRAWS = 99
FAR = 1.5  # a trained spectrum is so many times farther from noise than the farthest drawn one
# Changes that would have been seen, relative to the weight. In networks that have learned digits,
# layers moved by 0.26 to 2.6; in five epochs of SGD with a step of 0.01 by 0.01 to 0.3.
UNSEEN = {"uniform": 0.02, "normal": 0.25, "orthogonal": 0.02}


class UntouchedLayers(Exam):
    """Entries and spectra compared with those of common initialisations."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """One finding per untouched layer of a trained network, otherwise one for all."""
        portraits = layer_spectra_of(subject, budget).portraits

        @cache
        def null(p: int, n: int) -> Tensor:
            return null_distances(p, n, draws=DRAWS, rng=subject.rng("noise", str(p), str(n)))

        random = {p.name: _is_noise(p, null) for p in portraits}
        starts = {p.name: _start(p.layer, random.get(p.name, False)) for p in portraits}
        untouched = [p for p in portraits if starts[p.name] is not None]
        trained = [p.name for p in portraits if p.name in random and not random[p.name]]
        small = {p.name for p in portraits if p.layer.rows.numel() < FEWEST}
        trained = [name for name in trained if starts[name] is None and name not in small]
        if not untouched and not trained:
            raise NotApplicableError(
                "the weights look random but match no common initialisation; the network may "
                "be untrained or hardly trained"
            )
        if not untouched or not trained:
            yield self._all(len(untouched), len(portraits))
            return
        for found in untouched:
            start = starts[found.name]
            assert start is not None, "untouched ones have a start"
            few = len(untouched) <= len(trained)
            yield self._one(found, start, few, trained, _has_learned(subject, budget))

    def _all(self, untouched: int, layers: int) -> Finding:
        return self.finding(
            "Not trained yet" if untouched else "All layers have been trained",
            value=counted(untouched),
            unit=f"of {layers} layers still at their initialisation",
            meaning="The entries and the spectra of these weights look like those of a new "
            "initialisation."
            if untouched
            else "No layer looks as if it was just initialised.",
            claims=("marchenko_pastur",),
        )

    def _one(
        self,
        found: Portrait,
        start: RandomStart,
        few: bool,
        trained: Sequence[str],
        learned: bool,
    ) -> Finding:
        frozen = found.layer.frozen
        change = upwards(start.change, 1).value
        return self.finding(
            "A layer was never trained",
            severity=Severity.MEDIUM if few and not frozen else Severity.LOW,
            evidence=Evidence.CONFIRMED if learned else Evidence.PREDICTED,
            where=found.name,
            quantity="change since the start, relative to its size",
            value=Reading(0.0, 0.0, change),
            expected=f"more than {change:g}, as in {_listed(trained)}",
            meaning=f"The layer still holds the {_WORDS[start.law]} of an initialisation, "
            "while other layers have been "
            f"trained{'; it is frozen' if frozen else ''}.",
            advice="If it is not frozen on purpose, call requires_grad_(True) on it and train "
            "again."
            if frozen
            else "Check that the optimizer has this parameter, that a gradient reaches it, and "
            "that the checkpoint contains it; then train again.",
            claims=("marchenko_pastur",),
        )


def _has_learned(subject: Subject, budget: Budget) -> bool:
    """Whether the network answers better than a constant, and so has been trained.

    Weights that match no common initialisation may have been drawn by one of the user's own. Of a
    network without data only its weights are known.
    """
    if subject.batch is None or subject.batch.target is None:
        return True
    try:
        run = trial_run_of(subject, budget).run
    except NotApplicableError:
        return False
    return run.start < LEARNS * run.constant < math.inf


_WORDS = {
    "uniform": "uniform numbers",
    "normal": "normal numbers",
    "orthogonal": "orthogonal rows",
}


def _listed(names: Sequence[str]) -> str:
    word = "layer" if len(names) == 1 else "layers"
    return f"{word} {', '.join(names[:3])}{' and others' if len(names) > 3 else ''}"


def _is_noise(portrait: Portrait, null: Callable[[int, int], Tensor]) -> bool:
    if portrait.spikes.count:
        return False
    p, n = len(portrait.values), portrait.n
    variance = portrait.spikes.variance
    if variance <= 0:
        return False
    distance = MarchenkoPastur(p, n, variance).distance(portrait.values)
    return distance < FAR * float(null(p, n).max())


def _start(layer: WeightMatrix, noise: bool) -> RandomStart | None:
    """The initialisation a layer still has, if a change would have been noticed."""
    out, into = layer.rows.shape
    found = random_start(layer.rows, fans=(into, out))
    if found is None or found.change > UNSEEN[found.law]:
        return None
    return found if noise or found.law != "normal" else None
