"""Carry out the trials of a run: processes, their supervisors, and their judges."""
