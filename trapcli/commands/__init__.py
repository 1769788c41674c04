"""The commands: convert options, call an engine, print, return an exit code."""
