"""Recurrent networks: cells, the scheme that runs them, and pairs of them that translate."""
