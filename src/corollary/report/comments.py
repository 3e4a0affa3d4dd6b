"""Comments beside the fields of a class, which say what the fields mean."""

import inspect
import re


def comments(kind: type) -> dict[str, str]:
    """What stands behind the fields of a class, on their lines.

    Example:
        >>> from corollary.registry import Entry
        >>> comments(Entry)
        {'name': 'area/file'}
    """
    return dict(re.findall(r"^    (\w+): .*?  # (.+)$", inspect.getsource(kind), re.M))
