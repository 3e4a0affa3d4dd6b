"""Courses: one path through the claims per lecture of the notes, and three more paths."""
