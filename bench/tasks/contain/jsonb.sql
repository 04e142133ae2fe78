SELECT count(*) FROM docs WHERE data @> ':part';
