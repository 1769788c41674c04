"""What the reference solvers of edits families share: read tables and tickets, write edits.

A solver checks what generates and judges the cases, so this toolkit shares no code with either: its
modules import each other and the standard library, and only solvers import them.
"""
