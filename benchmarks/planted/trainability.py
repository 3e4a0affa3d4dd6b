"""Faults for the folder ``exams/trainability``."""

from planted.fault import Fault

FAULTS: tuple[Fault, ...] = ()
