"""PAC-Bayes certificates for networks: a posterior over weights, trained and bounded."""

from corollary.train.pac_bayes.certificate import Certificate, pac_bayes_certificate
from corollary.train.pac_bayes.holdout import holdout_bound
from corollary.train.pac_bayes.posterior import GaussianPosterior
from corollary.train.pac_bayes.recipe import pac_bayes_train

__all__ = [
    "Certificate",
    "GaussianPosterior",
    "holdout_bound",
    "pac_bayes_certificate",
    "pac_bayes_train",
]
