"""Confidence: limits of probabilities and means that hold as often as they say."""
