\copy docs(data) from ':file'
