"""``python -m memconform.cli``."""

from memconform.cli.app import main

main()
