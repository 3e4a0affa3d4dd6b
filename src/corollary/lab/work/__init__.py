"""The work of worker processes, which alone import this room because it imports torch."""
