"""Answer kinds, and toolkits for families that use them: amounts, and edits of tables."""
