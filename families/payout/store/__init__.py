"""The supermarket whose books a case is about: its records over time, and how they are drawn."""
