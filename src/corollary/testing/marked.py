"""A test with the mark ``corollary``: it returns a model, which is then examined."""

from typing import Any

import pytest
from torch import nn

from corollary.testing.sound import assert_sound


def examine_returned(item: pytest.Function, options: dict[str, Any]) -> None:
    """Call the test, and examine the model or the pair ``(model, data)`` that it returns."""
    __tracebackhide__ = True
    arguments = {name: item.funcargs[name] for name in item._fixtureinfo.argnames}
    made = item.obj(**arguments)
    model, data = made if isinstance(made, tuple) and len(made) == 2 else (made, None)
    if not isinstance(model, nn.Module):
        pytest.fail(
            "expected a test marked corollary to return a torch.nn.Module or (model, data), "
            f"got {type(model).__name__}; return the model, or use the fixture "
            "corollary_assert_sound",
            pytrace=False,
        )
    assert_sound(model, data, **options)
