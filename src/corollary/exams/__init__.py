"""Questions to a user's module, one exam per file; the folders are the questions."""
