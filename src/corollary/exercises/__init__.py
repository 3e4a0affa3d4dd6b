"""Exercises that grade themselves, one problem per file; the folders are sections of the notes."""
