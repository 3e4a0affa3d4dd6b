"""Training: one small loop, reproducible and resumable to the bit, that everything here uses."""

from corollary.train.callbacks import Callback, Measure, StopBelow
from corollary.train.checkpoint import Checkpoint
from corollary.train.fit import fit, steps
from corollary.train.history import History, Record
from corollary.train.loop import Loop
from corollary.train.order import batch_indices

__all__ = [
    "Callback",
    "Checkpoint",
    "History",
    "Loop",
    "Measure",
    "Record",
    "StopBelow",
    "batch_indices",
    "fit",
    "steps",
]
