"""The phrase books of threads, text files beside this module."""
