"""Paths through the catalogue: one per lecture of each set of notes, and three of our own."""
