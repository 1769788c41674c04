"""Run a solution under bubblewrap, where no answer and no generator can be seen."""
