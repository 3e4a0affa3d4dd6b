"""Proofs that run: the claim's file name, a chain of steps, each evaluated on what is drawn."""
