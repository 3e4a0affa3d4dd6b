"""Regularisation: what the way of training adds to the loss, said or unsaid."""
