"""The contract between the core and its plugins, and the values that everything shares."""
