"""What an author writes: the specification language, its loader, expressions and lint."""
