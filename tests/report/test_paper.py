import sys
from xml.etree import ElementTree

import pytest

from corollary.core import Curve, Figure
from corollary.errors import InputError, MissingExtraError, ResultsFileError
from corollary.report import paper

pytest.importorskip("matplotlib")


@pytest.mark.parametrize(
    ("suffix", "magic"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")]
)
def test_a_figure_is_saved_in_the_format_of_its_suffix(figure, suffix, magic, tmp_path):
    if suffix != "png" and figure.title not in ("curve", "heat map"):
        pytest.skip("one format is enough for every mark")
    path = figure.save(tmp_path / f"figure.{suffix}", dpi=40)
    assert path.read_bytes().startswith(magic)


def test_an_svg_file_stands_alone(figure, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # it is drawn without
    text = figure.save(str(tmp_path / "figure.SVG")).read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)
    assert "var(" not in text and "width:100%" not in text
    assert float(root.get("width")) == 480
    assert root[0].find("{*}title").text == figure.title


def test_svg_panels_stand_side_by_side(tmp_path):
    figure = Figure("t", "x", "y", (Curve([1, 2]),))
    text = paper.save([figure, figure], tmp_path / "two.svg").read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)
    assert [panel.get("x") for panel in root] == ["0", "480"] and root.get("width") == "960"


def test_several_figures_are_panels(tmp_path):
    figure = Figure("t", "x", "y", (Curve([1, 2]),))
    one = paper.save(figure, tmp_path / "one.png", dpi=40).read_bytes()
    two = paper.save([figure, figure], tmp_path / "two.png", dpi=40).read_bytes()
    assert two[16:20] > one[16:20]  # the width in the header


def test_wrong_suffix_and_unwritable_path_are_said(figure, tmp_path):
    with pytest.raises(InputError, match=r"\.png, \.pdf, \.svg"):
        paper.save(figure, tmp_path / "figure.bmp")
    with pytest.raises(ResultsFileError, match="cannot be written"):
        paper.save(figure, tmp_path / "missing" / "figure.png")


def test_without_matplotlib_the_extra_is_named(figure, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match="corollary\\[plot\\]"):
        paper.save(figure, tmp_path / "figure.png")


def test_show_opens_the_figure(figure, monkeypatch):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    shown = []
    monkeypatch.setattr(pyplot, "show", lambda: shown.append(pyplot.gcf()))
    figure.show()
    assert len(shown) == 1
    pyplot.close("all")
