CREATE INDEX docs_gin ON docs USING gin (data:opclass);
