"""Proofs that run: a chain of steps, each evaluated on a random instance of the claim."""
