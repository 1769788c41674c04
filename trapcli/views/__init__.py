"""What `inspect` and `judge` show of families, suites, cases and verdicts. Runs: calibration/reports."""
