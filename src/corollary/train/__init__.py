"""Training: one small loop, reproducible and resumable to the bit, that everything here uses."""

from corollary.train.adversarial import Adversarial
from corollary.train.callbacks import Callback, Measure, StopBelow
from corollary.train.certified import Certified
from corollary.train.checkpoint import Checkpoint
from corollary.train.distillation import distill
from corollary.train.early_stopping import EarlyStopping
from corollary.train.fit import fit, steps
from corollary.train.history import History, Record
from corollary.train.loop import Loop
from corollary.train.on_the_fly import Augmented, LabelNoise
from corollary.train.order import batch_indices
from corollary.train.weight_decay import L2Penalty, decay_groups

__all__ = [
    "Adversarial",
    "Augmented",
    "Callback",
    "Certified",
    "Checkpoint",
    "EarlyStopping",
    "History",
    "L2Penalty",
    "LabelNoise",
    "Loop",
    "Measure",
    "Record",
    "StopBelow",
    "batch_indices",
    "decay_groups",
    "distill",
    "fit",
    "steps",
]
