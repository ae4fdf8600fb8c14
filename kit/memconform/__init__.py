"""memconform: certify, explore and teach the retrieval of agent memories."""

__version__ = "0.1.0"
