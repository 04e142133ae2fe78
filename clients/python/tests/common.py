"""What the tests share: a document with the types that JSON lacks."""
import datetime
import os
import uuid

import bson
import pg_bson

DSN = 'host={} port={} user={} dbname={}'.format(
    os.environ.get('PGHOST', 'localhost'), os.environ.get('PGPORT', '5432'),
    os.environ.get('PGUSER', os.environ.get('USER', 'postgres')), os.environ.get('PGDATABASE', 'postgres'))

_host, _port = os.environ.get('PGHOST', 'localhost'), os.environ.get('PGPORT', '5432')
PG8000 = {'user': os.environ.get('PGUSER', os.environ.get('USER', 'postgres')), 'database': os.environ.get('PGDATABASE', 'postgres'),
          **({'unix_sock': f'{_host}/.s.PGSQL.{_port}'} if _host.startswith('/') else {'host': _host, 'port': int(_port)})}

SENT = {
    '_id': bson.ObjectId('5f2b1c3d4e5f60718293a4b5'),
    'int64': bson.Int64(15),
    'large': bson.Int64(4968387550),
    'int32': 15,
    'double': 15.0,
    'date': datetime.datetime(2022, 3, 3, 12, 13, 14, 789000, datetime.timezone.utc),
    'far': bson.DatetimeMS(253402300800000),
    'decimal': bson.Decimal128('1.10'),
    'binary': b'\x00\x01\xff',
    'uuid': uuid.UUID('00112233-4455-6677-8899-aabbccddeeff'),
    'old uuid': bson.Binary(bytes(16), 3),
    'regex': bson.Regex('^a', 'i'),
    'text': "it's \\ \u00fc",
    'none': None,
    'nested': {'list': [1, 'zwei', {'drei': bson.Int64(3)}]},
}


class Cursors:
    """What the tests of a driver of DB-API share; connect() is the driver's."""

    def setUp(self):
        self.connection = self.connect()
        self.addCleanup(self.connection.close)
        pg_bson.register(self.connection)
        self.cursor = self.connection.cursor()
        self.cursor.execute('CREATE TEMP TABLE doc (id serial, data bson)')

    def one(self, *query):
        self.cursor.execute(*query)
        return self.cursor.fetchone()[0]

    def test_other_values(self):
        for value in [1, 'zwei', {'a': 1}], [], 5, 'text', None, {}:
            self.assertEqual(kinds(self.one('SELECT CAST(%s AS bson)', [pg_bson.Bson(value)])), kinds(value))
        self.assertIsNone(self.one('SELECT NULL::bson'))


def kinds(value):
    """A value with the types of all that is in it, as 15 == 15.0 == Int64(15)."""
    if isinstance(value, dict):
        return {key: kinds(each) for key, each in value.items()}
    if isinstance(value, list):
        return [kinds(each) for each in value]
    return type(value), value
