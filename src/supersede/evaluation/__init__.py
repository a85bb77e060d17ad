"""Models meet worlds: the only package that imports Inspect.

Importing the package loads nothing heavy; each module states what it needs.
"""
