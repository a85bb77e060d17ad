"""Facts that later facts overwrite: synthesise and measure information evolution."""

__version__ = "0.1.0"
