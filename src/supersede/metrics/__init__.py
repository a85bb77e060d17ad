"""Metrics: pure functions of graded replies. Undefined is NaN with a count, never 0."""
