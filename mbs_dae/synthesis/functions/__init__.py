"""Followers that go with their cranks as y goes with x."""
