"""From a history to chat messages and back: the writer, and the reader that proves it."""
