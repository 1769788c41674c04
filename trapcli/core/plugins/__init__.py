"""Plugins: who declares which family, and whether an object is one."""
