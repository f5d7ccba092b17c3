"""Contacts in a run: their forces, how they close, open, stick and slip, and what happens when bodies meet."""
