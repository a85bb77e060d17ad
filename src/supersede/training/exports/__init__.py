"""Corpora in the formats that others read: a data set for the Hub, Inspect samples, chat JSONL.

`hub`, `samples` and `chat` each write one format from the rows that `source` reads. Whatever they
write is read back and tried on every row by `selftest`, with the grader of the format, before it
takes its name (`fresh`): an export is there whole and tried, or not at all.
"""
