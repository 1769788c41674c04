"""What must hold for a case, and how difficult it is."""
