"""Certificates: radii within which no perturbation changes what a classifier says.

Example:
    >>> import torch
    >>> line = torch.nn.Linear(2, 2, bias=False).double()
    >>> _ = line.weight.data.copy_(torch.eye(2))
    >>> x, y = torch.tensor([[0.8, 0.2]]).double(), torch.tensor([0])
    >>> certify = Certifier(line, x)
    >>> [bool(certify.margins(x, y, eps, "crown") > 0) for eps in (0.29, 0.31)]  # 0.6 / 2
    [True, False]
"""

from corollary.theory.robustness.certificates.certifier import Certifier
from corollary.theory.robustness.certificates.lipschitz import lipschitz_certificate
from corollary.theory.robustness.certificates.live import LiveBounds
from corollary.theory.robustness.certificates.proving import prove
from corollary.theory.robustness.certificates.radii import certified_radius
from corollary.theory.robustness.certificates.smoothing import Smoothed

__all__ = [
    "Certifier",
    "LiveBounds",
    "Smoothed",
    "certified_radius",
    "lipschitz_certificate",
    "prove",
]
