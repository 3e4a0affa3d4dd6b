r"""What makes hyper-parameters transfer: the correction of any parametrisation to muP.

Among the parametrisations whose activations neither blow up nor vanish, one lets every layer's
activations move by order one at the largest learning rate that is stable; with it, the best
learning rate of a narrow network is that of a wide one. The multiplier of a weight may be chosen
(:meth:`corollary.theory.scaling.abc.ABC.shifted`); its initial scale and learning rate follow.

:source: Yang and Hu (2021), "Tensor programs IV", Section 5 and Theorem 5.6 (maximal update); Yang,
    Hu, Babuschkin et al. (2022), "Tensor programs V", Table 3.
"""

from corollary.theory.scaling.abc import ABC, MUP, Optimizer, Role


def correction(role: Role, optimizer: Optimizer, now: ABC, multiplier: float = 0.0) -> ABC:
    """What to add to the exponents of a weight so that it trains as under muP.

    Args:
        role: Of the weight.
        optimizer: Its kind.
        now: The exponents it has.
        multiplier: What is added to a; the rest follows.

    Example:
        >>> from corollary.theory.scaling.abc import STANDARD
        >>> now = STANDARD.of(Role.OUTPUT, Optimizer.ADAM)
        >>> correction(Role.OUTPUT, Optimizer.ADAM, now)  # initial scale and lr fall with n
        ABC(a=0.0, b=0.5, c=1.0)
        >>> correction(Role.OUTPUT, Optimizer.ADAM, now, multiplier=1.0)  # or a multiplier 1/n
        ABC(a=1.0, b=-0.5, c=0.0)
    """
    wanted = MUP.of(role, optimizer)
    wanted = wanted.shifted(now.a + multiplier - wanted.a, optimizer)
    return ABC(float(multiplier), float(wanted.b - now.b), float(wanted.c - now.c))
