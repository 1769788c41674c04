"""What a run comes to: summaries, warnings, tables, and JSON documents."""
