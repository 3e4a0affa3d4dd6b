"""Files to fill in: one function per part, with the task as its docstring."""

import textwrap
from collections.abc import Sequence

from corollary.exercises.catalogue import Exercise, Part

CHAIN = "a chain"  # in a task: the answer yields steps


def stub_text(exercise: Exercise, parts: Sequence[Part]) -> str:
    """The text of a file that answers ``parts``, once the functions are filled in."""
    graded = [part for part in parts if part.signature]
    lines = [
        f'r"""Exercise {exercise.number}: {exercise.entry.title}.',
        "",
        f"Grade it by: corollary exercise {exercise.number} --check answer.py",
        '"""',
        "",
        "import numpy as np",
    ]
    if any(CHAIN in part.task for part in graded):
        lines += ["", "from corollary.core.proof import eq, ge, le, let"]
    return "\n".join(lines) + "\n" + "".join(map(_function, graded))


def _function(part: Part) -> str:
    task = textwrap.fill(f"{part.letter}) {part.task}", 94, subsequent_indent=" " * 4)
    body = (
        '    yield let("left side", np.nan)  # then eq, le or ge("next side", value, "reason")\n'
        if CHAIN in part.task
        else "    raise NotImplementedError\n"
    )
    return f'\n\ndef {part.signature}:\n    r"""{task}"""\n{body}'
