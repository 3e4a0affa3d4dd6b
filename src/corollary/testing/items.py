"""``pytest --corollary net.py:build``: the examination of a target as tests, one per exam.

The target is examined once, in a process of its own, when the first of its tests runs; with
pytest-xdist the workers share the findings through a file. The test ``examined`` fails if the
examination was not possible or not complete; exams without an answer are then skipped, as are exams
that do not apply.
"""

import fcntl
import hashlib
import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

import pytest

from corollary.core import Severity
from corollary.errors import CorollaryError
from corollary.examine.effort import LIMIT, Effort
from corollary.examine.examination import Examination
from corollary.examine.mistakes import check_words
from corollary.examine.questions import CUT_SHORT, chosen_exams
from corollary.report.outcomes import outcomes
from corollary.testing.plugin import FOLDER

EXAMINED = "examined"
NOT_EXAMINED = "the target was not examined; see the test 'examined'"
SHARED = pytest.StashKey[tempfile.TemporaryDirectory[str]]()
NAMES = ("data", "held_out", "loss", "optimizer", "effort")


def exam_items(session: pytest.Session) -> Iterator[pytest.Item]:
    """The tests of every target that the command line names.

    Raises:
        UsageError: if an argument of the command line is not valid.
    """
    given = session.config.getoption
    for target in given("corollary"):
        words = given("corollary_data"), given("corollary_held_out")
        try:
            check_words(target, *words, loss=given("corollary_loss"))
            exams = [entry.name for entry in chosen_exams(given("corollary_only"))]
        except CorollaryError as error:
            raise pytest.UsageError(f"--corollary {target}: {error}") from None
        place, _, name = target.rpartition(":")
        nodeid = f"{place}::{name}" if place else target
        made = TargetNode.from_parent(session, name=target, nodeid=nodeid, path=_path(place))
        made.exams = exams
        yield from session.genitems(made)


def shared_folder(config: pytest.Config) -> Path:
    """The folder in which all processes of this run find an examination."""
    inherited = getattr(config, "workerinput", {}).get(FOLDER)
    if inherited:
        return Path(inherited)
    if SHARED not in config.stash:
        config.stash[SHARED] = tempfile.TemporaryDirectory(prefix="corollary-")
        config.add_cleanup(config.stash[SHARED].cleanup)
    return Path(config.stash[SHARED].name)


class NotExaminedError(Exception):
    """There is no complete examination; the message says why."""


class SevereFindingError(Exception):
    """An exam found something as severe as the threshold; the message reports the finding."""


class TargetNode(pytest.Collector):
    """One target and its findings."""

    exams: Sequence[str] = ()
    found: Examination | None = None
    error = ""

    def collect(self) -> Iterator[pytest.Item]:
        """A test for the examination itself, then one test per exam."""
        yield ExaminedItem.from_parent(self, name=EXAMINED)
        yield from (ExamItem.from_parent(self, name=exam) for exam in self.exams)

    def examination(self) -> Examination:
        """The findings; the first call examines the target, unless another process has done so.

        Raises:
            NotExaminedError: if the target cannot be examined.
        """
        if self.found is None and not self.error:
            said = self._said()
            self.error = said.get("error", "")
            self.found = None if self.error else Examination.from_json(said)
        if self.found is None:
            raise NotExaminedError(self.error)
        return self.found

    def _said(self) -> dict[str, Any]:
        name = hashlib.sha256(self.nodeid.encode()).hexdigest()[:16]
        file = shared_folder(self.config) / f"{name}.json"
        with file.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # it is free when the process ends, however it ends
            if not file.exists():
                file.write_text(json.dumps(self._examined()), encoding="utf-8")
        said: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return said

    def _examined(self) -> dict[str, Any]:
        from corollary.examine.child import examine_in_child

        try:
            done = examine_in_child(self._order())
        except CorollaryError as error:
            return {"error": str(error)}
        if "Interrupted" in _cut_short(done):
            raise KeyboardInterrupt
        return done.to_json()

    def _order(self) -> dict[str, Any]:
        given = self.config.getoption
        words = {name: given(f"corollary_{name}") for name in NAMES}
        selected = [i.name for i in self.session.items if i.parent is self]
        only = [name for name in selected if name != EXAMINED]
        budget = LIMIT[Effort(words["effort"])]
        return words | {"target": self.name, "only": only or None, "budget": budget, "seed": 0}


class TargetItem(pytest.Item):
    """A test of a target."""

    parent: TargetNode

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The report of a finding, without a traceback of corollary."""
        if isinstance(excinfo.value, NotExaminedError | SevereFindingError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """The file of the target, and the name of the exam."""
        return self.path, 0, f"{self.parent.name}: {self.name}"


class ExaminedItem(TargetItem):
    """Tests whether the target could be examined completely."""

    def runtest(self) -> None:
        """Fail if the examination could not begin, or was cut short."""
        if why := _cut_short(self.parent.examination()):
            raise NotExaminedError(why)


class ExamItem(TargetItem):
    """One exam."""

    def runtest(self) -> None:
        """Fail on a severe finding; skip an exam without an answer."""
        try:
            done = self.parent.examination()
        except NotExaminedError:
            if any(i.parent is self.parent and i.name == EXAMINED for i in self.session.items):
                _skip(NOT_EXAMINED)
            raise
        fail_on = Severity(self.config.getoption("corollary_fail_on"))
        mine = [o for o in outcomes(done, fail_on) if o.exam == self.name]
        if not mine and _cut_short(done):
            _skip("the examination was cut short before this exam began")
        for outcome in mine:
            if outcome.state == "skipped":
                _skip(outcome.reason)
            if outcome.state == "failed":
                raise SevereFindingError(outcome.text)


def _skip(reason: str) -> NoReturn:
    raise pytest.skip.Exception(reason, _use_item_location=True)  # the user's file, not this one


def _path(place: str) -> Path | None:
    return Path(place).resolve() if place.endswith(".py") else None


def _cut_short(done: Examination) -> str:
    """The reason why an examination is not complete, or an empty text."""
    return next((f.meaning for f in done.findings if f.exam == CUT_SHORT), "")
