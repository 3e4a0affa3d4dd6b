"""Published results and the training runs that reproduce them, one experiment per file."""
