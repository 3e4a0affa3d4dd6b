"""Recurrences, attention, decoding and tokens."""
