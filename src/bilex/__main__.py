"""`python -m bilex` is the command line."""

from bilex.cli.app import main

main()
