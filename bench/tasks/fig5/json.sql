SELECT data #> '{:path}' FROM docs;
