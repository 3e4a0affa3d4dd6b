"""Running claims: seeds, processes, time limits, a journal, and the results file."""
