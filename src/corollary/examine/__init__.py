"""Examine a network: ``corollary.examine(model, data)``.

Python, the command line and the lab prepare a subject in one way (``prepare``), run exams by one
runner (``examiner``) and give one record (``examination``).
"""
