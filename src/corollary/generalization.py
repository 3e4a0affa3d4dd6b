"""Generalization: certificates from training data, and the bounds behind them.

* ``certificate(model, (x, y))``: a bound on the error of a randomised version of the model, by
  PAC-Bayes, that holds with the stated probability.
* ``holdout_bound(wrong, n, delta)``: the exact bound from data that were never used.
* ``generalization_gap(model, train, test, loss)``: the gap with an interval.
* Bounds by name, for finite classes, VC dimension, Rademacher complexity, norms, stability and
  compression.

Example:
    >>> from corollary import generalization
    >>> round(generalization.holdout_bound(3, 100, 0.05), 4)  # 3 errors in 100, at 95 %
    0.0757
    >>> round(generalization.hoeffding_deviation(1000, 0.05), 4)  # sqrt(ln(40) / 2000)
    0.0429
"""

from corollary import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
