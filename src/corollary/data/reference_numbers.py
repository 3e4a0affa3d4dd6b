"""Numbers that figures of the notes quote for CIFAR-10 and ImageNet, as their authors print them.

Nothing here was measured. Errors of residual networks are in
:mod:`corollary.data.imagenet_errors`.

:source: Lucchi (2025), Foundations of Deep Learning, Figures 7.4, 10.14, 11.1 and 12.1.
:covers: dataset-cifar10-imagenet
"""

from typing import NamedTuple


class Quoted(NamedTuple):
    """What a figure shows, in its own words or numbers."""

    figure: str
    data: str
    finding: str
    numbers: dict[str, float]
    source: str


QUOTED = (
    Quoted(
        "7.4",
        "CIFAR-10",
        "the best accuracy is reached at finite width",
        {},
        "Lee et al. (2020), Finite versus infinite neural networks: an empirical study",
    ),
    Quoted(
        "10.14",
        "ImageNet",
        "without shortcuts 34 layers have a larger error than 18, with them a smaller one",
        {"plain 18": 27.94, "plain 34": 28.54, "ResNet-18": 27.88, "ResNet-34": 25.03},
        "He et al. (2016), Deep residual learning for image recognition, Table 2 (top-1, %)",
    ),
    Quoted(
        "11.1",
        "MNIST and CIFAR-10",
        "past zero training error the test error goes on falling with the width",
        {},
        "Neyshabur, Tomioka and Srebro (2014), In search of the real inductive bias",
    ),
    Quoted(
        "12.1",
        "ImageNet",
        "a step of 0.007 along the sign of the gradient turns a panda into a gibbon",
        {"epsilon": 0.007, "panda before, %": 57.7, "gibbon after, %": 99.3},
        "Goodfellow, Shlens and Szegedy (2015), Explaining and harnessing adversarial examples",
    ),
)


def quoted(figure: str) -> Quoted:
    """The entry of a figure.

    Example:
        >>> quoted("12.1").numbers["epsilon"]
        0.007
    """
    return {q.figure: q for q in QUOTED}[figure]
