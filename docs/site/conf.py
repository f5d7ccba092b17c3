"""The site of the documentation: the files of the repository, where they stand, are its pages.

    make docs

Nothing is copied: a link that works between files works between pages, and one that does not is an error.
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent), str(ROOT / "models")]  # what follows; gallery.py; what models import

from versions import digest  # noqa: E402

project = "mbs_dae"
author = "the mbs_dae authors"
copyright = author
extensions = ["myst_nb", "sphinx.ext.autodoc", "sidebar", "programs", "formulas", "reference", "lean"]

# Which files are pages.
root_doc = "README"
include_patterns = [
    "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/**.md", "models/README.md", "models/[a-z]*.py",
    "notebooks/*.py",
]  # fmt: skip
exclude_patterns = [".*", "build", "out", "mbs_dae", "tests", "benchmarks", "tools"]  # not even looked into

# Markdown as on GitHub: headings have anchors, formulas stand between dollars.
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 4
myst_dmath_double_inline = True

# Notebooks are scripts; what they print and draw is made here, and made anew when they or the package change.
nb_custom_formats = {".py": ["jupytext.reads", {"fmt": "py:percent"}]}
nb_execution_mode = "cache"
nb_execution_excludepatterns = ["models/*.py"]
nb_execution_cache_path = str(ROOT / "build" / "notebooks" / digest(ROOT / "mbs_dae"))
nb_execution_timeout = 600
nb_execution_raise_on_error = True
nb_merge_streams = True

# Docstrings speak of code between single backticks, too.
default_role = "code"
smartquotes = False  # M y' is no quotation
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_type_aliases = {"Place": "mbs_dae.model.bodies.body.Place"}  # not what it is made of
python_use_unqualified_type_names = True
suppress_warnings = ["ref.python"]  # `type` in a signature is Python's own; several classes have one, too
python_maximum_signature_line_length = 100
add_module_names = False

html_theme = "furo"
html_title = "mbs_dae"
html_static_path = ["static", str(ROOT / "build" / "static")]  # with the moving pages
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_additional_pages = {"index": "index.html"}
templates_path = ["templates"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_show_sphinx = False
html_show_search_summary = False  # a page in a file may not read others
html_theme_options = {"navigation_with_keys": True}
