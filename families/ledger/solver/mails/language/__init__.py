"""The words of mails: the published patterns, and what a sentence that has one of them says."""
