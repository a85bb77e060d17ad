"""Instances at scale: keys, splits, builders, verification and statistics."""
