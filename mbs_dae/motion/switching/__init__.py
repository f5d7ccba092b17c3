"""Laws that switch with the motion, contacts that change, and events: what happens between two steps.

switches, rates, pieces         switching functions and branches at a state, and their rates
locate, wide                    where a switching function passes zero in a step
choosing, surfaces, sliding     which branch, or which contact state, holds behind it
search                          the records of the search
"""
