"""Compiled models written as scripts that run elsewhere."""

from .javascript import kinematics_script as kinematics_script
from .javascript import numbers_script as numbers_script
from .javascript import readings_script as readings_script
