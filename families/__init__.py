"""The families that come with trapcli."""
