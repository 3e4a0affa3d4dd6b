"""Transformers: positions, encoder and decoder blocks, and the models made of them."""
