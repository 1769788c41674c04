"""Tools for authors of families: tickets, scenes, and the edits between two worlds."""
