"""Run claims: seeds, processes, time limits, a journal, and results as a file."""
