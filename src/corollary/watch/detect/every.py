"""All detectors, fresh for a run."""

from corollary.watch.detect.data import Batches, Labels
from corollary.watch.detect.detector import Detector
from corollary.watch.detect.gradients import Accumulation, Clipping, DeadUnits, Vanishing
from corollary.watch.detect.mode import Mode
from corollary.watch.detect.ownership import CutGraph, Ownership
from corollary.watch.detect.protocol import Backward, KeptGraphs, ZeroGrad
from corollary.watch.detect.schedule import Schedule
from corollary.watch.detect.stability import Spikes, Stability


def detectors() -> list[Detector]:
    """One of each."""
    return [
        ZeroGrad(),
        Backward(),
        KeptGraphs(),
        Ownership(),
        CutGraph(),
        Mode(),
        Schedule(),
        Batches(),
        Labels(),
        Clipping(),
        Accumulation(),
        Vanishing(),
        DeadUnits(),
        Stability(),
        Spikes(),
    ]
