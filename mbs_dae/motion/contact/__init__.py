"""Contacts in a run: their forces, how they close, open, stick and slip, and what happens when bodies meet.

gaps, guards, normals       switching functions of points: when a contact state ends
states                      the choice of contact states; following, departure, incipient: slips that need more
forces, bounds, rubbing     the forces of contacts while their states hold, and the bounds of friction
problem                     the Delassus matrix W and the laws of contact
corrections, digits, sizes  forces corrected with twice the digits, where masses or forces are far apart; roundoff
impacts, keeping            impulses where bodies meet; closed contacts put back onto their gaps
time_stepping, islands      forces over whole steps (Moreau, HalfExplicit)
constrained                 rows that joints alone keep as they are
reports, friction_faults    what results show of contacts, and messages of frictions without a value
"""
