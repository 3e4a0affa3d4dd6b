"""Scaling: does a learning rate that is good for a small network carry over to a large one?

* ``width_check(build, data)``: exponents of activations, updates and logits in the width, per
  layer, with intervals; the verdict, and the change that makes the network transfer.
* ``depth_check(build, data)``: the same in the depth of a residual network.
* ``mup(model, base)``: set a module up so that it takes over the learning rate of a narrow base.
* ``parametrise(model, base, NTK, torch.optim.Adam, lr)``: any parametrisation on any module.
* ``exponents(chain(2, MUP, Optimizer.ADAM), Optimizer.ADAM)``: what theory says.
* ``fit_scaling_law(sizes, losses)``: a power law with a floor, its intervals and predictions.
* ``expected_losses(quadratic, rates)``: the exact loss of SGD under any schedule, on a quadratic.

Example:
    >>> from corollary import scaling
    >>> layers = scaling.chain(2, scaling.STANDARD, scaling.Optimizer.ADAM)
    >>> scaling.exponents(layers, scaling.Optimizer.ADAM)["hidden 1"].update
    1.0
"""

from corollary import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
