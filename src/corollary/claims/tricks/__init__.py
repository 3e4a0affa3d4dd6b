"""Tricks: what makes networks train and generalise in practice.

How to draw the first weights so that neither signals nor gradients vanish, what weight decay does
to the optimum, when to stop, what dropout averages, what label smoothing and distillation ask of a
network. Each is a line of code; the claims say what that line does.
"""
