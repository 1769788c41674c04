"""Cases from a seed, checked against every invariant, and suites of them."""
