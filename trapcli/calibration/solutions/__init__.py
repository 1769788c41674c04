"""What is measured: a command, a builtin solution, or a Python function."""
