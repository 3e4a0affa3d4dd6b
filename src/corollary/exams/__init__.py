"""Examinations of a user's module, one a file; the folders are the questions."""
