"""A module that can not be imported."""

raise ZeroDivisionError("at import")
