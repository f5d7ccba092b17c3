"""Any model with a driven freedom: what its named quantities can follow, and with which parameters."""
