"""What is compiled, as scripts that run elsewhere."""

from .javascript import kinematics_script as kinematics_script
