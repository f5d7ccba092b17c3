"""Compose papers of headings, sentences, formulas and tables, and write them as HTML, LaTeX and Markdown."""

from .files import ENDINGS as ENDINGS
from .files import as_text as as_text
from .files import written as written
from .formulas import Bold as Bold
from .formulas import Math as Math
from .formulas import pieces as pieces
from .formulas import rounded as rounded
from .paper import Formula as Formula
from .paper import Heading as Heading
from .paper import Paper as Paper
from .paper import Table as Table
from .paper import Text as Text
