"""Classifiers that withstand small changes of their inputs."""
