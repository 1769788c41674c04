"""trapcli generates evaluation tasks for AI agents, judges them and says why they failed."""

__version__ = "0.1.0"
