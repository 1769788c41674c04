"""The words of the mails: patterns, references, and what each sentence means."""
