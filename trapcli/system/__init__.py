"""The operating system: files, locks, signals, the installed package, the debug log."""
