"""From a planned year to files: lines, sheets, texts."""
