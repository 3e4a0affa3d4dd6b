"""A notebook that is executed: the widget is shown, and what it computes is there."""

import pytest

pytest.importorskip("anywidget", reason="needs corollary[widget]")
nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")

CELLS = (
    "import corollary\nshown = corollary.widget('novikoff', gamma=0.2)\nshown",
    "shown.values = {'gamma': '0.05'}\nprint(shown.result.verdict)",
    "corollary.widget('playground', n=40, hidden=[4])",
)
VIEW = "application/vnd.jupyter.widget-view+json"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of the packages of Jupyter
def test_a_notebook_with_widgets_is_executed():
    pytest.importorskip("ipykernel")
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    claim, changed, playground = (cell.outputs for cell in notebook.cells)
    assert VIEW in claim[0].data and VIEW in playground[0].data
    assert changed[0].text == "holds\n"
    states = notebook.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"]
    pages = [state["state"].get("page", "") for state in states.values()]
    assert any("Perceptron convergence" in page and "<svg" in page for page in pages)
