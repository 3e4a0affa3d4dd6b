"""Examinations: a network is loaded and prepared, exams are run, and the findings are recorded.

Python, the command line and the lab prepare a subject in one way (``prepare``), run exams by one
runner (``examiner``) and give one record (``examination``). The name ``corollary.examine`` is the
function :func:`corollary.examine.examiner.examine`.
"""
