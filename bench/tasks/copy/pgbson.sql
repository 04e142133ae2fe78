\copy docs(data) from ':file'
CHECKPOINT;
