"""Faults for the folder ``exams/learning``."""

from planted.fault import Fault

FAULTS: tuple[Fault, ...] = ()
