"""Apply edits to tables, run the reports, and compare."""
