"""Documents of pymongo's bson in a bson column, as BSON bytes in binary format."""
import datetime
import os

import bson
import psycopg
from psycopg.adapt import Dumper, Loader
from psycopg.pq import Format
from psycopg.types import TypeInfo


# Copy from here: dict goes out as bson, bson comes back as dict
class BsonDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj):
        return bson.encode(obj)


class BsonLoader(Loader):
    format = Format.BINARY

    def load(self, data):
        return bson.decode(bytes(data))


def register_bson(connection):
    info = TypeInfo.fetch(connection, "bson")
    info.register(connection)
    connection.adapters.register_dumper(dict, type("BsonDumper", (BsonDumper,), {"oid": info.oid}))
    connection.adapters.register_loader(info.oid, BsonLoader)
# to here


def main():
    connection = psycopg.connect(os.environ.get("DATABASE_DSN", ""))
    register_bson(connection)
    cursor = connection.cursor(binary=True)     # or else results are text
    cursor.execute("CREATE TEMP TABLE doc (id serial, data bson)")

    sent = {
        "_id": bson.ObjectId("5f2b1c3d4e5f60718293a4b5"),
        "int64": bson.Int64(15),
        "int32": 15,
        "double": 15.0,
        "date": datetime.datetime(2022, 3, 3, 12, 13, 14, 789000),
        "decimal": bson.Decimal128("1.10"),
        "binary": b"\x00\x01\xff",
        "nested": {"list": [1, "zwei", {"drei": bson.Int64(3)}]},
    }
    cursor.execute("INSERT INTO doc (data) VALUES (%s)", [sent])

    fetched, typename = cursor.execute("SELECT data, bson_typeof(data -> 'int64') FROM doc").fetchone()
    assert fetched == sent
    assert [type(v) for v in fetched.values()] == [type(v) for v in sent.values()]
    assert typename == "long"

    # a document is a parameter like any other
    found = cursor.execute("SELECT count(*) FROM doc WHERE data @> %s", [{"nested": {"list": ["zwei"]}}]).fetchone()
    assert found == (1,)

    # and COPY takes it
    with cursor.copy("COPY doc (data) FROM STDIN (FORMAT binary)") as copy:
        copy.set_types(["bson"])
        for number in range(1000):
            copy.write_row([{"n": number}])
    assert cursor.execute("SELECT count(*) FROM doc WHERE data -#> 'n' >= 0").fetchone() == (1000,)
    print("ok python")


main()
