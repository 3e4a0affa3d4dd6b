"""Published figures and the training runs that reproduce them, one per file, by family."""
