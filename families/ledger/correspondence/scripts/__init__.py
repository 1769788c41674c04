"""How one customer's entries, instructions and mails are drawn."""
