"""The operators, one module per family; a new one is one function."""
