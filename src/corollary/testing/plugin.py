"""The pytest plugin: the option ``--corollary``, the mark ``corollary`` and two fixtures.

pytest imports this file at every start, so the modules that do the work are imported on first use.
"""

from collections.abc import Callable
from typing import Any

import pytest

MARK = (
    "corollary(**options): examine the model or (model, data) that the test returns, and "
    "fail on severe findings; the options are those of corollary.testing.assert_sound"
)
OPTIONS = {
    "data": "data for the targets, in the forms of corollary examine --data",
    "held-out": "data that the network was not trained on",
    "loss": "cross_entropy, mse, bce or file.py:loss",
    "optimizer": "optimizer you train with, as in adamw:lr=3e-4,weight_decay=0.1",
}
FOLDER = "corollary_folder"  # where workers of pytest-xdist share examinations


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options that begin with ``--corollary``."""
    group = parser.getgroup("corollary", "examine networks with corollary")
    group.addoption(
        "--corollary",
        action="append",
        default=[],
        metavar="TARGET",
        help="examine net.py:build, or another target of corollary examine, with one test per exam",
    )
    for name, text in OPTIONS.items():
        group.addoption(f"--corollary-{name}", default="", metavar="WORDS", help=text)
    group.addoption(
        "--corollary-only",
        action="append",
        metavar="NAME",
        help="run only this question or exam; may be repeated",
    )
    group.addoption(
        "--corollary-effort",
        choices=("quick", "standard", "thorough"),
        default="quick",
        help="how much work the exams do (default: quick)",
    )
    group.addoption(
        "--corollary-fail-on",
        choices=("low", "medium", "high"),
        default="high",
        help="the lowest severity that fails a test (default: high)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark."""
    config.addinivalue_line("markers", MARK)


@pytest.hookimpl(tryfirst=True)  # before -k and -m select
def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    """Add the exams of each target."""
    if session.config.getoption("corollary"):
        from corollary.testing.items import exam_items

        items.extend(exam_items(session))


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Examine what a marked test returns."""
    if pyfuncitem.get_closest_marker("corollary") is None:
        return None
    asked = pyfuncitem.fixturenames
    uses = any(fixture.__name__ in asked for fixture in (corollary_examine, corollary_assert_sound))
    if uses:  # the mark holds the options of the fixtures
        return None
    from corollary.testing.marked import examine_returned

    examine_returned(pyfuncitem, mark_options(pyfuncitem))
    return True


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker of pytest-xdist where examinations are shared."""
    if node.config.getoption("corollary"):
        from corollary.testing.items import shared_folder

        node.workerinput[FOLDER] = str(shared_folder(node.config))


@pytest.fixture
def corollary_examine(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """``corollary.examine`` with the options of the mark and of the command line."""
    given = mark_options(request.node)
    del given["fail_on"]

    def examined(model: Any, data: Any = None, **options: Any) -> Any:
        from corollary.examine.examiner import examine

        return examine(model, data, **{"progress": False} | given | options)

    return examined


@pytest.fixture
def corollary_assert_sound(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """``assert_sound`` with the options of the mark and of the command line."""
    given = mark_options(request.node)

    def asserted(model: Any, data: Any = None, **options: Any) -> Any:
        __tracebackhide__ = True
        from corollary.testing.sound import assert_sound

        return assert_sound(model, data, **given | options)

    return asserted


def mark_options(item: Any) -> dict[str, Any]:
    """Options of a test: its marks (the nearest wins) override those of the command line."""
    found = {name: item.config.getoption(f"corollary_{name}") for name in ("effort", "fail_on")}
    for mark in reversed(list(item.iter_markers("corollary"))):
        found |= mark.kwargs
    return found
