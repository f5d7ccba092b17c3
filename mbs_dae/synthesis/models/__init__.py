"""Synthesise any model with a driven freedom: parameters with which named quantities follow targets."""
