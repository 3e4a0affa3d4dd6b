"""Healthy training set-ups of many kinds: whatever is said loudly of them has to be true.

They are what users have: classifiers, segmentation, pairs and ranks, generative models, numbers of
all kinds, sequences, tables, graphs, policies, networks that were trained before. Each is shown to
train by its own score on held-out data. They were written to look for untrue findings, so their
count of alarms is a training score of the exams.
"""

from healthy import generative, images, pairs, regression, sequences, tables
from healthy.setup import SetUp

SETUPS: tuple[SetUp, ...] = tuple(
    setup
    for part in (images, pairs, generative, regression, sequences, tables)
    for setup in part.SETUPS
)

__all__ = ["SETUPS", "SetUp"]
