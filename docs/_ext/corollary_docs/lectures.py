"""Files of lectures beside the pages: slides for all, notebooks for all, some of them executed."""

import json
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from corollary.courses.catalogue import Lecture, all_lectures, find_course
from corollary_docs.courses import page_name, paths_script
from corollary_docs.outcomes import Outcome

# One of each set of notes, and only claims that take less than a second.
EXECUTED = ("lucchi-2025/13", "perez-jensen-2025/4", "lucchi-2024/1", "mathematical-foundations/4")
WALKED = ("generated/claims/", "generated/exercises/", "generated/courses/")


def write_lectures(
    out: Path,
    found: Mapping[str, Outcome],
    proofs: Mapping[str, str],
    executed: Mapping[str, Any],
) -> None:
    """Write slides, notebooks and the script of paths.

    Sphinx changes how docutils reads directives, so statements are read in another process.
    """
    from corollary.report.slides import Shown

    shown = {
        name: Shown(o.sentence, o.verdict, tuple(o.figures), proofs.get(name, ""))
        for name, o in found.items()
    }
    shown |= {n: Shown(proof=html) for n, html in proofs.items() if n not in shown}
    with ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn")) as child:
        child.submit(write_files, out, shown, executed).result()
    (out / "_static").mkdir(exist_ok=True)
    (out / "_static" / "paths.js").write_text(paths_script(), "utf-8")


def write_files(out: Path, shown: Mapping[str, Any], executed: Mapping[str, Any]) -> None:
    """Write the slides and the notebook of every lecture."""
    from corollary.report.notebook import notebook
    from corollary.report.slides import slides_html

    for folder in ("slides", "notebooks"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    for lecture in all_lectures():
        name = page_name(lecture)
        (out / "slides" / f"{name}.html").write_text(slides_html(lecture, shown), "utf-8")
        made = executed.get(lecture.name) or notebook(lecture)
        text = json.dumps(made, indent=1, ensure_ascii=False)
        (out / "notebooks" / f"{name}.ipynb").write_text(text + "\n", "utf-8")


def executed_notebooks() -> dict[str, Any]:
    """The short lectures with the outputs of their cells; a cell that fails ends the build."""
    with ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn")) as child:
        return {name: child.submit(executed, name).result() for name in EXECUTED}


def executed(name: str) -> Any:
    """The notebook of a lecture as plain data, run from top to bottom in a kernel of its own."""
    import nbformat
    from nbclient import NotebookClient

    from corollary.report.notebook import notebook

    lecture = find_course(name)
    assert isinstance(lecture, Lecture), "only lectures have notebooks"
    made = nbformat.reads(json.dumps(notebook(lecture)), as_version=4)
    quiet = ["--log-level=ERROR"]  # the kernel warns of its own loopback port
    NotebookClient(made, timeout=600, startup_timeout=300, extra_arguments=quiet).execute()
    for cell in made.cells:
        cell.metadata.pop("execution", None)  # times of this machine
    return json.loads(nbformat.writes(made))


def add_scripts(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Pages that paths lead through load the paths, and the script that shows where one is."""
    if pagename.startswith(WALKED):
        app.add_js_file("paths.js", loading_method="defer")
        app.add_js_file("walk.js", loading_method="defer")
