"""All poses of a mechanism for given values of its drivers: its equations as polynomials, and paths of solutions."""
