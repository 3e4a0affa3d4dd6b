"""Sphinx configuration: everything is local, nothing is loaded from another host."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

import corollary  # noqa: E402  (the extension's folder comes first)

project = "corollary"
author = "The corollary authors"
copyright = "The corollary authors"
version = release = corollary.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "corollary_docs",
]
exclude_patterns = ["_build", "gallery/*.py", "gallery/**/*.md5", "sg_execution_times.rst"]
suppress_warnings = ["config.cache"]  # the gallery's settings hold a function

myst_enable_extensions = ["dollarmath", "deflist", "colon_fence"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
add_module_names = False
maximum_signature_line_length = 88
python_use_unqualified_type_names = True
napoleon_google_docstring = True
napoleon_numpy_docstring = False

pygments_dark_style = "github-dark"

html_theme = "furo"
html_title = "corollary"
html_static_path = ["_static"]
html_css_files = ["corollary.css"]
html_js_files = [("accessible.js", {"defer": "defer"})]
html_math_renderer = "katex"
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1f5fa8", "color-brand-content": "#1f5fa8"},
    "dark_css_variables": {"color-brand-primary": "#7cb2ea", "color-brand-content": "#7cb2ea"},
}

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/[a-z]\w*\.py$",
    "ignore_pattern": r"__init__\.py",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 60,
    "remove_config_comments": True,
    "capture_repr": (),
    "write_computation_times": False,
    "reset_modules": (),
}
