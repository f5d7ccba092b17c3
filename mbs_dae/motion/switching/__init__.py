"""Laws that switch with the motion, and events: what happens between two steps."""
