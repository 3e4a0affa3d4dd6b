"""Hopfield networks: energy, dynamics, Hebbian storage and what can be recalled."""
