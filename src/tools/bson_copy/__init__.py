"""Move documents between MongoDB dumps and PostgreSQL tables: the parts of the program bson-copy."""
