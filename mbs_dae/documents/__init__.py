"""Compose papers of headings, sentences, formulas and tables, and write them as HTML, LaTeX and Markdown."""

from .files import ENDINGS as ENDINGS
from .files import as_text as as_text
from .files import write as write
from .paper import Bold as Bold
from .paper import Formula as Formula
from .paper import Heading as Heading
from .paper import Math as Math
from .paper import Paper as Paper
from .paper import PaperTable as Table
from .paper import Text as Text
from .paper import pieces as pieces
from .paper import rounded as rounded
