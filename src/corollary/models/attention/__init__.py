"""Attention as layers: one head, many heads, one shared projection, and how positions mix."""
