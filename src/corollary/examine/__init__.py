"""Examine a network: load and prepare it, run the exams, keep the record.

``corollary.examine(model, data)`` is this package, called.

Python, the command line and the lab prepare a subject in one way (``prepare``), run exams by one
runner (``examiner``) and give one record (``examination``).
"""

import sys
from inspect import Signature, signature
from types import ModuleType
from typing import Any


class _CallablePackage(ModuleType):
    """Python binds ``corollary.examine`` to this package on import, so it is the function, too."""

    def __call__(self, *args: Any, **named: Any) -> Any:
        from corollary.examine.examiner import examine

        return examine(*args, **named)

    @property
    def __signature__(self) -> Signature:
        from corollary.examine.examiner import examine

        return signature(examine)


sys.modules[__name__].__class__ = _CallablePackage
