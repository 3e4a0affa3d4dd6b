"""Faults for the question "How does it learn?"."""

from planted.fault import Fault
from planted.networks import about, mlp, shifted, table
from planted.trainability import ordered_phase

FAULTS = (
    Fault("one direction in the kernel", "learning/kernel_rank", "", "centre",
          lambda: about(mlp(), shifted(30.0)), lambda: about(mlp(), table())),
    Fault("biases drown the samples", "learning/kernel_rank", "", "normalisation",
          lambda: about(ordered_phase(1.0), table()), lambda: about(ordered_phase(0.0), table())),
)  # fmt: skip
