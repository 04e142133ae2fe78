SELECT data->>':key' FROM docs;
