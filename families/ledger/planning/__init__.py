"""Plan a year of entries in which every mistake shows."""
