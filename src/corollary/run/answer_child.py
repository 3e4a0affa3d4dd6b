"""The process in which an answer to an exercise runs: it returns values and does not judge them.

It is started as a script in Python's isolated mode, so that neither torch nor the rest of corollary
is loaded. It reads what to call from standard input, and writes one JSON object per call into a
pipe. The grader draws the arguments and compares the returned values in the other process, so code
that runs here cannot make a wrong value count as right. Limits of time and memory, and a hook that
refuses other processes, the network, writing, and reading anything but installed libraries, stop
accidents and the usual tricks, not malicious code.
"""

import importlib.util
import json
import os
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

REFUSED = (
    "os.system os.exec os.posix_spawn os.spawn os.fork os.forkpty os.kill os.killpg os.remove "
    "os.rename os.mkdir os.rmdir os.link os.symlink os.truncate os.chmod os.chown subprocess. "
    "socket. ctypes. shutil. gc. pty. signal.pthread_kill webbrowser. sqlite3."
).split()
MEMORY = 2 << 30  # bytes of address space
DEPTH = 20  # of lists in lists
MOST_LINES = 200  # of a chain


def limit(seconds: int) -> None:
    """Limit memory, processor time and the size of files."""
    import resource

    for which, most in (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(which, (most, most))


def offer_steps(path: str) -> None:
    """Make ``from corollary.core.proof import let, eq, le, ge`` work, and load nothing else."""
    spec = importlib.util.spec_from_file_location("corollary.core.proof", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    package, core = types.ModuleType("corollary"), types.ModuleType("corollary.core")
    sys.modules.update({"corollary": package, "corollary.core": core, spec.name: module})
    spec.loader.exec_module(module)
    for name in ("let", "eq", "le", "ge"):
        setattr(core, name, getattr(module, name))


def refuse_tricks(package: str) -> None:
    """Install the hook; Python offers no way to remove it."""
    inside, real = os.path.realpath(package), os.path.realpath
    roots = tuple(os.path.join(real(p), "") for p in sys.path if os.path.isdir(p))
    copies = tuple(os.path.join(root, "corollary", "") for root in roots)  # installed twice
    roots += ("/dev/urandom",)
    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT

    def readable(path: Any, flags: Any) -> bool:
        if isinstance(path, int):
            return True
        place = real(os.fsdecode(path))
        own = place.startswith((inside, *copies))
        return place.startswith(roots) and not own and not flags & writing

    def hook(event: str, details: tuple[Any, ...]) -> None:
        if event == "open" and not readable(details[0], details[2] or 0):
            raise PermissionError(f"an answer cannot open {details[0]}")
        if event == "import" and str(details[0]).split(".")[0] == "corollary":
            raise PermissionError("an answer can import only the steps of a chain")
        if event.startswith(tuple(REFUSED)):
            raise PermissionError(f"an answer cannot use {event}")

    sys.addaudithook(hook)


def load(text: str) -> dict[str, Any]:
    """The names that the answer defines."""
    module = types.ModuleType("answer")
    sys.modules["answer"] = module
    exec(compile(text, "answer.py", "exec"), module.__dict__)
    return vars(module)


def received(value: Any) -> Any:
    """An argument from JSON."""
    if isinstance(value, dict):
        return np.array(value["array"], dtype=float).reshape(value["shape"])
    return value


def plain(value: Any, depth: int = 0) -> Any:
    """The value that an answer returned, as plain data."""
    if depth > DEPTH:
        raise ValueError("lists are nested too deeply")
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist(), depth)
    if isinstance(value, types.GeneratorType):
        return {
            "chain": [
                _line(line)
                for line, _ in zip(value, range(MOST_LINES), strict=False)
                if not isinstance(line, str)
            ]
        }
    if isinstance(value, dict):
        return {str(k): plain(v, depth + 1) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v, depth + 1) for v in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"expected numbers, lists or arrays, got {type(value).__name__}")


def _line(line: Any) -> dict[str, Any]:
    side = getattr(line, "to", line)
    made = {"tex": str(side.tex), "value": plain(side.value)}
    if side is line:
        return made | {"relation": "", "by": ""}
    return made | {"relation": str(line.relation), "by": str(line.by)}


def reply(call: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """One call of the answer."""
    function: Callable[..., Any] | None = found.get(call["function"])
    if function is None:
        return {"missing": True}
    try:
        return {"value": plain(function(**{k: received(v) for k, v in call["given"].items()}))}
    except Exception as error:
        return {"error": f"the answer stopped with {type(error).__name__}: {error}"[:400]}
    except SystemExit:
        return {"error": "the answer tried to end the process"}


def main() -> None:
    """Read the calls to make, run the answer, and write the returned values."""
    order, pipe = json.loads(sys.stdin.buffer.read()), int(sys.argv[1])
    os.set_inheritable(pipe, False)
    offer_steps(order["steps"])
    limit(order["seconds"])
    refuse_tricks(order["package"])

    def say(what: dict[str, Any]) -> None:
        line = json.dumps(what).encode() + b"\n"
        while line:
            line = line[os.write(pipe, line) :]

    try:
        found = load(order["answer"])
    except (Exception, SystemExit) as error:
        say({"broken": f"the file raised {type(error).__name__}: {error}"[:400]})
        return
    for number, call in enumerate(order["calls"]):
        say({"number": number} | reply(call, found))


if __name__ == "__main__":
    main()
