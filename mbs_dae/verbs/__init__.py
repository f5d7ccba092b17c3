"""One file for each verb (`simulate`, `equilibrium`, ...). Each file reads like the algorithm in a textbook."""
