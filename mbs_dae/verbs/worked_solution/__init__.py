"""The kinematics of one instant as a student would hand it in."""

from .solution import WorkedSolution as WorkedSolution
from .solution import worked_solution as worked_solution
