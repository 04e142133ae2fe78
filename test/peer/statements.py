"""A psql script as statements and backslash commands, and the same for bson."""
import re

# What may hold a semicolon or a backslash that means nothing to psql
_TOKEN = re.compile(r"""
    --[^\n]*                                    # a comment
  | /\*.*?\*/
  | [eE]'(?:[^'\\]|\\.|'')*'                    # strings
  | '(?:[^']|'')*'
  | "(?:[^"]|"")*"                              # a quoted name
  | \$(?P<tag>\w*)\$.*?\$(?P=tag)\$             # dollar quotes
  | .                                           # anything else
""", re.VERBOSE | re.DOTALL)


def split(script):
    """The script's statements, with their semicolons, and lines with a backslash command, in order."""
    statement, depth = '', 0
    for match in _TOKEN.finditer(script):
        token = match.group()
        if token.startswith(('--', '/*')):
            continue
        if token == '\\' and not statement.strip():
            end = script.find('\n', match.start())
            yield from split_command(script, match.start(), end)
            yield from split(script[end:])
            return
        statement += token
        depth += (token == '(') - (token == ')')
        if token == ';' and depth == 0:
            yield statement.strip()
            statement = ''
    if statement.strip():
        yield statement.strip() + ';'


def split_command(script, start, end):
    yield script[start:end].strip()


def translate(statement):
    """The statement with the names of jsonb replaced by those of bson."""
    if statement.startswith('\\'):
        return statement        # names of files and variables
    return statement.replace('jsonb', 'bson').replace('JSONB', 'BSON')
