"""The command line: options in, one library call, results out. No logic lives here."""
