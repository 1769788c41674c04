"""What must hold for a case."""
