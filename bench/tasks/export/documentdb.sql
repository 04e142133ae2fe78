\copy (SELECT data FROM docs) to /dev/null (format binary)
