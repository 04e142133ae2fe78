"""A bson column in SQLAlchemy: documents go and come as BSON bytes."""
import datetime
import os

import bson
import sqlalchemy as sa
from sqlalchemy.orm import DeclarativeBase, Session, mapped_column


# Copy from here
class BsonName(sa.types.UserDefinedType):
    cache_ok = True

    def get_col_spec(self, **kw):
        return "bson"


class Bson(BsonName):
    cache_ok = True

    def bind_expression(self, value):
        return sa.cast(value, BsonName)

    def column_expression(self, column):
        return sa.type_coerce(sa.cast(column, sa.LargeBinary), self)

    def coerce_compared_value(self, op, value):     # a str beside an operator is a str
        return sa.types.TypeEngine.coerce_compared_value(self, op, value)

    def bind_processor(self, dialect):
        return lambda value: None if value is None else bson.encode(value)

    def result_processor(self, dialect, coltype):
        return lambda value: None if value is None else bson.decode(bytes(value))
# to here


class Base(DeclarativeBase):
    pass


class Doc(Base):
    __tablename__ = "doc"
    __table_args__ = {"prefixes": ["TEMPORARY"]}
    id = mapped_column(sa.Integer, primary_key=True)
    data = mapped_column(Bson)


def main():
    import psycopg
    engine = sa.create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(os.environ.get("DATABASE_DSN", "")))
    with engine.connect() as connection, Session(connection) as session:
        Base.metadata.create_all(connection)
        sent = {"_id": bson.ObjectId(), "n": bson.Int64(15), "at": datetime.datetime(2022, 3, 3), "price": bson.Decimal128("1.10")}
        session.add(Doc(data=sent))
        session.add(Doc(data=None))
        session.commit()
        session.expire_all()

        fetched = session.scalars(sa.select(Doc).where(Doc.data.op("->>", return_type=sa.Text)("n") == "15")).one().data
        assert fetched == sent and type(fetched["n"]) is bson.Int64
        assert session.scalars(sa.select(Doc.data).where(Doc.data.is_(None))).one() is None
    print("ok sqlalchemy")


main()
