r"""A network from scratch in NumPy: every forward and every backward pass is written out.

Four pieces that a first lecture needs, and nothing else: a linear layer, ReLU, the logistic loss
and gradient descent, put together by an ``MLP`` that goes through its layers forwards and then
backwards. A layer remembers what it read, takes the gradient of the loss in its output, keeps the
gradients of its parameters and hands on the gradient in its input.

Who divides by N? The loss is a mean over N points, so *its* backward pass divides by N; every
gradient behind it is then that of the mean, and nobody divides again.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.7.
"""

from corollary.models.scratch.descent import GD
from corollary.models.scratch.layers import LinearLayer, ReLU
from corollary.models.scratch.loss import BCE, ClippedBCE
from corollary.models.scratch.mlp import MLP
from corollary.models.scratch.mlp3 import MLP3
from corollary.models.scratch.run import Trained, train

__all__ = ["BCE", "GD", "MLP", "MLP3", "ClippedBCE", "LinearLayer", "ReLU", "Trained", "train"]
