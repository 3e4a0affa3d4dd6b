"""Examinations inside test suites: an assertion, a pytest plugin, and a pre-commit hook.

Example:
    >>> from torch import nn, ones
    >>> from corollary.testing import assert_sound
    >>> assert_sound(nn.Linear(2, 1), ones(16, 2), only="soundness/finite").worst().value
    'none'
"""

from corollary import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
