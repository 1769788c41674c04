"""The database of runs and the stored outputs of their trials."""
