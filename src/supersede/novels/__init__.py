"""Novels: from a book to annotated streams, by way of drafts, annotators and agreement."""
