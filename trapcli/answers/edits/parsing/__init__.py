"""Read the edits in an output."""
