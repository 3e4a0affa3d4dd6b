"""Exams of a user's module, one exam per file; each folder is a question about the module."""
