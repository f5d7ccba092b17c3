"""Studies of many designs: which there are, how they are run and kept, and what is read of them."""
