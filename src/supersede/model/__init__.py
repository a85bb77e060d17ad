"""Frozen data only: records, histories, worlds, questions, answers, instances."""
