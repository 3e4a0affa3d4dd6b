"""Errors on ImageNet reported when residual networks appeared: depth helps once it can be trained.

Single models, validation set, in percent, as printed by the authors; nothing here was measured.

:source: Lucchi (2025), Foundations of Deep Learning, Figure 10.15; He, Zhang, Ren and Sun (2016),
    "Deep residual learning for image recognition", Table 4.
"""

from typing import NamedTuple


class Reported(NamedTuple):
    """One row of the table."""

    method: str
    top1: float | None  # percent; None where none was reported
    top5: float
    depth: int | None = None  # layers, for residual networks


IMAGENET_ERRORS = (  # the residual networks from the shallowest to the deepest
    Reported("VGG (ILSVRC'14)", None, 8.43),  # on the test set
    Reported("GoogLeNet (ILSVRC'14)", None, 7.89),
    Reported("VGG (v5)", 24.4, 7.1),
    Reported("PReLU-net", 21.59, 5.71),
    Reported("BN-inception", 21.99, 5.81),
    Reported("ResNet-34 B", 21.84, 5.71, 34),
    Reported("ResNet-34 C", 21.53, 5.60, 34),
    Reported("ResNet-50", 20.74, 5.25, 50),
    Reported("ResNet-101", 19.87, 4.60, 101),
    Reported("ResNet-152", 19.38, 4.49, 152),
)


def resnets() -> list[Reported]:
    """The residual networks, shallowest first.

    Example:
        >>> [row.depth for row in resnets()]
        [34, 34, 50, 101, 152]
    """
    return [row for row in IMAGENET_ERRORS if row.depth]
