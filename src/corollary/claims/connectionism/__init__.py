"""Connectionism: threshold units, the perceptron and associative memories.

Where the subject began: what one threshold unit can compute, how the perceptron learns it and how
many mistakes that takes, how many labellings a hyperplane can realise, and how a network of such
units stores and recalls patterns.
"""
