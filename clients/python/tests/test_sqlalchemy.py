"""SQLAlchemy with three drivers, and Alembic's autogenerate."""
import asyncio
import unittest
import warnings

import alembic.autogenerate
import alembic.migration
import alembic.operations
import bson
import sqlalchemy as sa
from alembic.autogenerate import render_python_code
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.ext.mutable import MutableDict
from sqlalchemy.orm import DeclarativeBase, Session, mapped_column

import pg8000.dbapi
import pg_bson
import pg_bson.sqlalchemy
import psycopg
import psycopg2
from common import DSN, PG8000, SENT, kinds
from pg_bson.sqlalchemy import ARRAY, BSON


class Base(DeclarativeBase):
    pass


class Doc(Base):
    __tablename__ = 'alchemy_doc'
    id = mapped_column(sa.Integer, primary_key=True)
    data = mapped_column(BSON)
    more = mapped_column(ARRAY(BSON))


class Temporary(DeclarativeBase):
    pass


class Changed(Temporary):
    """An application that changes what it has read in place."""
    __tablename__ = 'alchemy_changed'
    __table_args__ = {'prefixes': ['TEMPORARY']}
    id = mapped_column(sa.Integer, primary_key=True)
    data = mapped_column(MutableDict.as_mutable(BSON))


# What JSONB's comparator has: method, an expression on DOCUMENT, what it gives
DOCUMENT = {'a': {'b': ['x', 7]}, 'n': 7, 'none': None}
data = Doc.data
COMPARATOR = [
    ('__getitem__', data['a'], {'b': ['x', 7]}), ('__getitem__', data['a']['b'][1], 7), ('__getitem__', data[('a', 'b', 0)], 'x'),
    ('__getitem__', data[sa.literal('n')], 7), ('__getitem__', data['absent'], None),
    ('astext', data['n'].astext, '7'), ('astext', data['a']['b'][0].astext, 'x'), ('astext', data[('a', 'b', 1)].astext, '7'), ('astext', data['none'].astext, None),
    ('as_string', data['a']['b'][0].as_string(), 'x'), ('as_integer', data['n'].as_integer(), 7), ('as_float', data['n'].as_float(), 7.0),
    ('as_numeric', data['n'].as_numeric(4, 1), 7), ('as_boolean', sa.literal({'a': True}, BSON)['a'].as_boolean(), True), ('as_json', data['n'].as_json(), 7),
    ('has_key', data.has_key('n'), True), ('has_key', data.has_key(sa.literal('n')), True), ('has_key', data['a'].has_key('n'), False),
    ('has_all', data.has_all(['a', 'n']), True), ('has_all', data.has_all(postgresql.array(['a', 'z'])), False),
    ('has_any', data.has_any(['a', 'z']), True), ('has_any', data.has_any(postgresql.array(['a', 'z'])), True), ('has_any', data.has_any(postgresql.array(['y', 'z'])), False),
    ('contains', data.contains({'a': {'b': [7]}}), True), ('contains', data.contains(data['a']), False), ('contains', data['a']['b'].contains(7), True),
    ('contained_by', data.contained_by(DOCUMENT | {'m': 1}), True), ('contained_by', data.contained_by({}), False),
    ('delete_path', data.delete_path(['a', 'b']), {'a': {}, 'n': 7, 'none': None}), ('delete_path', data['a'].delete_path(postgresql.array(['b', '0'])), {'b': [7]}),
    ('path_exists', data.path_exists('$.a.b[*] ? (@ == "x")'), True), ('path_exists', data.path_exists(sa.literal('$.z')), False),
    ('path_match', data.path_match('$.n == 7'), True), ('path_match', data.path_match(sa.literal('$.n == 8')), False),
    ('__add__', data['a'] + {'c': 1}, {'b': ['x', 7], 'c': 1}), ('__add__', (data['a'] + data['a'])['b'][0], 'x'), ('concat', data['a']['b'].concat([8]), ['x', 7, 8]),
    ('cast', data['n'].astext.cast(sa.Integer), 7), ('__eq__', data['n'] == 7, True), ('__eq__', data['none'] == sa.JSON.NULL, True), ('__eq__', data['n'] == sa.JSON.NULL, False),
    ('is_', data['absent'].is_(None), True), ('is_', data['none'].is_(None), False), ('in_', data['n'].in_([6, 7]), True)]


def compare(test, session):
    """Method by method, that nothing is missing that JSONB's comparator has."""
    own = {name for kind in postgresql.JSONB.Comparator.__mro__ if 'JSON' in kind.__qualname__ for name in vars(kind) if not name.startswith('_')}
    test.assertEqual(own - {'type'} - {name for name, _, _ in COMPARATOR}, set())
    session.add(Doc(data=DOCUMENT))
    session.flush()
    one = data == DOCUMENT
    for name, expression, expected in COMPARATOR:
        test.assertEqual(session.scalar(sa.select(expression).select_from(Doc).where(one)), expected, (name, str(expression)))
    test.assertIn('alchemy_doc.data ->> ', str(data['a'].astext))           # which an index on ->> serves

    # JSON.NULL, where it is stored and where it is compared
    session.add(Doc(data=sa.JSON.NULL))
    session.flush()
    test.assertEqual(session.scalars(sa.select(sa.func.bson_typeof(data)).where(data == sa.JSON.NULL)).all(), ['null'])
    session.execute(sa.delete(Doc).where(data == sa.JSON.NULL))

    # subscripts are columns to be written, also of a table's column
    table = Doc.__table__
    session.execute(sa.update(Doc).where(one).values({data['a']['b']: [1], data[('a', 'c')]: bson.Int64(2), data['o']: {'p': 'q'}}))
    test.assertEqual(kinds(session.scalar(sa.select(table.c.data).where(data.has_key('o')))),
                     kinds({'a': {'b': [1], 'c': bson.Int64(2)}, 'n': 7, 'none': None, 'o': {'p': 'q'}}))
    session.execute(table.update().where(table.c.data.has_key('o')).values({table.c.data['o']['p']: table.c.data['n'], table.c.data['n']: sa.JSON.NULL}))
    found, row = session.execute(sa.select(data, Doc.id).where(data.has_key('o'))).one()
    test.assertEqual(found, {'a': {'b': [1], 'c': 2}, 'n': None, 'none': None, 'o': {'p': 7}})
    session.execute(sa.delete(Doc).where(Doc.id == row))

    # read, change, write back
    Temporary.metadata.create_all(session.connection())
    session.add(Changed(data=SENT))
    session.commit()
    changed = session.scalars(sa.select(Changed)).one()
    changed.data['int32'] = 16
    session.commit()
    session.expire_all()
    test.assertEqual(kinds(dict(session.scalars(sa.select(Changed)).one().data)), kinds(SENT | {'int32': 16}))


def use(test, session):
    """What the type can do; the same for each driver."""
    session.add_all([Doc(data=SENT), Doc(data=None), Doc(data=pg_bson.Bson([1, 2])), Doc(data={'n': 7, 'a': {'b': ['x', 'y']}})])
    session.commit()
    session.expire_all()
    documents = session.scalars(sa.select(Doc).order_by(Doc.id)).all()
    test.assertEqual(kinds(documents[0].data), kinds(SENT))
    test.assertEqual([each.data for each in documents[1:3]], [None, [1, 2]])
    test.assertEqual(session.scalars(sa.select(Doc.data).where(Doc.data.is_(None))).all(), [None])

    small = {'n': 7, 'a': {'b': ['x', 'y']}}
    for condition in (data.contains({'a': {'b': ['y']}}), data.contained_by(small | {'m': 1}), data == small,
                      data['n'] == 7, data['n'] > 6, data['n'].in_([6, 7]), data['n'].between(7, 8),
                      data['a']['b'][1] == 'y', data[('a', 'b', 0)] == 'x', data.text('n') == '7',
                      data['a']['b'][0].astext == 'x', data.text(('a', 'b', 1)) == 'y',
                      data.op('->>', return_type=sa.Text)('n') == '7',
                      data.has_key('a') & data.has_all(['a', 'n']) & data.has_any(['a', 'z']),
                      data.match_query({'n': {'$gte': 7, '$lt': 8}}), data.path_exists('$.a.b[*] ? (@ == "x")'),
                      data.path_match('$.n == 7'), data.get_int('n') == 7, data.get_text('a', 'b', 0) == 'x',
                      data['a'].contains(data['a']['b'][0].op('->')('none')).is_(None) & data.contains(small),
                      sa.literal(small, BSON).contains(sa.func.bson_build_object('a', data['a'])), data['a']['b'].contains(data['a']['b']),
                      data['n'].as_integer() + 1 == 8, data['n'].as_float() < 7.5, data['n'].as_numeric(4, 1) == 7,
                      data['a']['b'][0].as_string() == 'x', (data['n'] == 7) & ~data['n'].in_([6])):
        test.assertEqual(session.scalars(sa.select(Doc.data).where(condition)).all(), [small], str(condition))

    # an operator's right side in parentheses, as all these operators are evaluated from the left
    nested = sa.select(sa.literal({'b': {'a': 1}, 'c': {'a': 1, 'd': 2}}, BSON).label('v')).subquery().c.v
    test.assertTrue(session.scalar(sa.select(nested['c'].contains(nested['b']))))
    test.assertFalse(session.scalar(sa.select(nested['b'].contained_by(nested['c']['a']))))
    test.assertTrue(session.scalar(sa.select(sa.literal({'a': True}, BSON)['a'].as_boolean())))

    # literals
    printed = sa.select(sa.func.count()).where(data.contains({'a': {'b': ['y']}}), data['n'] == 7).compile(
        dialect=postgresql.dialect(), compile_kwargs={'literal_binds': True})
    test.assertEqual(session.scalar(sa.text(str(printed))), 1)

    compare(test, session)

    # arrays
    session.add(Doc(data={'arrays': True}, more=[SENT, None, pg_bson.Bson([1, 2])]))
    session.commit()
    session.expire_all()
    test.assertEqual(kinds(session.scalars(sa.select(Doc).where(data.has_key('arrays'))).one().more), kinds([SENT, None, [1, 2]]))
    # of a statement that SQLAlchemy has not written
    session.expire_all()
    again = session.scalars(sa.select(Doc).from_statement(sa.text("SELECT * FROM alchemy_doc WHERE data ? 'arrays'"))).one()
    test.assertEqual(kinds([again.data, again.more]), kinds([{'arrays': True}, [SENT, None, [1, 2]]]))
    gathered = sa.func.array_agg(data, type_=ARRAY(BSON))
    test.assertEqual(kinds(session.scalar(sa.select(gathered).where(data.has_key('int64')))), kinds([SENT]))
    test.assertEqual(kinds(session.scalar(sa.select(Doc.more[1]).where(data.has_key('arrays')))), kinds(SENT))
    test.assertEqual(session.scalar(sa.select(sa.func.count()).where(Doc.more.contains([SENT]), Doc.more[3] == [1, 2])), 1)

    first = sa.select(data['int64'], data.get_datetime('date'), data.get_uuid('uuid'), data.get_objectid('_id'),
                      data.get_numeric('decimal'), data['nested']).where(data.has_key('int64'))
    int64, date, uuid, objectid, decimal, nested = session.execute(first).one()
    test.assertEqual(kinds(int64), kinds(SENT['int64']))
    test.assertEqual(date, SENT['date'])
    test.assertEqual((uuid, objectid, str(decimal)), (SENT['uuid'], str(SENT['_id']), '1.10'))
    test.assertEqual(nested, SENT['nested'])

    session.execute(sa.update(Doc).where(data['n'] == 7).values(data=sa.func.bson_set(data, sa.literal(['n'], postgresql.ARRAY(sa.Text)),
                                                                                     sa.literal(bson.Int64(8), BSON), type_=BSON())))
    test.assertEqual(kinds(session.scalar(sa.select(data['n']).where(data.has_key('n')))), kinds(bson.Int64(8)))


class SQLAlchemy(unittest.TestCase):
    def with_engine(self, engine):
        self.addCleanup(engine.dispose)
        with engine.begin() as connection:
            Base.metadata.drop_all(connection)
            Base.metadata.create_all(connection)
        self.addCleanup(Base.metadata.drop_all, engine)
        return engine

    def test_psycopg(self):
        with Session(self.with_engine(sa.create_engine('postgresql+psycopg://', creator=lambda: psycopg.connect(DSN)))) as session:
            use(self, session)

    def test_psycopg2(self):
        with Session(self.with_engine(sa.create_engine('postgresql+psycopg2://', creator=lambda: psycopg2.connect(DSN)))) as session:
            use(self, session)

    def test_pg8000(self):
        with Session(self.with_engine(sa.create_engine('postgresql+pg8000://', creator=lambda: pg8000.dbapi.connect(**PG8000)))) as session:
            use(self, session)

    def test_registered(self):
        """A connection that gives dicts, too, for text() and the like."""
        def connect():
            connection = psycopg.connect(DSN)
            pg_bson.register(connection)
            return connection
        with Session(self.with_engine(sa.create_engine('postgresql+psycopg://', creator=connect))) as session:
            use(self, session)
            found = session.execute(sa.text("SELECT data FROM alchemy_doc WHERE data ? 'int64'")).scalar_one()
            self.assertEqual(kinds(found), kinds(SENT))

    def test_asyncpg(self):
        async def body():
            engine = create_async_engine('postgresql+asyncpg://')
            async with engine.begin() as connection:
                await connection.run_sync(Base.metadata.drop_all)
                await connection.run_sync(Base.metadata.create_all)
            async with engine.connect() as connection:
                await connection.run_sync(lambda sync: use(self, Session(sync)))
                await connection.rollback()
            async with engine.begin() as connection:
                await connection.run_sync(Base.metadata.drop_all)
            await engine.dispose()
        asyncio.run(body())

    def test_jsonb(self):
        """The dialect's JSONB on the same column, by the implicit cast; the driver then gives text."""
        engine = self.with_engine(sa.create_engine('postgresql+psycopg://', creator=lambda: psycopg.connect(DSN)))
        table = sa.Table('alchemy_doc', sa.MetaData(), sa.Column('id', sa.Integer, primary_key=True), sa.Column('data', postgresql.JSONB))
        with engine.begin() as connection:
            connection.execute(table.insert().values(data={'n': 7, 'a': {'b': 'x'}}))
            data = table.c.data
            for condition in (data.contains({'n': 7}), data['a']['b'].astext == 'x', data[('a', 'b')] == 'x', data.has_key('n'),
                              data['n'].as_integer() > 6):
                self.assertEqual(connection.scalars(sa.select(data).where(condition)).all(), ['{"a": {"b": "x"}, "n": 7}'])

    def test_alembic(self):
        engine = self.with_engine(sa.create_engine('postgresql+psycopg://', creator=lambda: psycopg.connect(DSN)))
        wanted = sa.MetaData()
        sa.Table('alchemy_doc', wanted, sa.Column('id', sa.Integer, primary_key=True), sa.Column('data', BSON), sa.Column('more', ARRAY(BSON)),
                 sa.Column('third', ARRAY(BSON)))
        options = dict(compare_type=True, render_item=pg_bson.sqlalchemy.render_item,
                       include_name=lambda name, kind, parents: kind != 'table' or name == 'alchemy_doc')
        with engine.connect() as connection, warnings.catch_warnings():
            warnings.simplefilter('error')              # such as "Did not recognize type 'bson'"
            context = alembic.migration.MigrationContext.configure(connection, opts=options)
            self.assertEqual(alembic.autogenerate.compare_metadata(context, Base.metadata), [])
            script = alembic.autogenerate.produce_migrations(context, wanted)
            imports = set()
            code = render_python_code(script.upgrade_ops, imports=imports, render_item=pg_bson.sqlalchemy.render_item,
                                      migration_context=context)
            self.assertIn("sa.Column('third', pg_bson.sqlalchemy.ARRAY(pg_bson.sqlalchemy.BSON()), nullable=True)", code)
            body = 'import sqlalchemy as sa\nimport pg_bson.sqlalchemy\ndef upgrade(op):\n    ' + code.replace('\n', '\n    ')
            names = {}
            exec(body, names)
            names['upgrade'](alembic.operations.Operations(context))
            self.assertEqual(alembic.autogenerate.compare_metadata(context, wanted), [])
            connection.rollback()


unittest.main()
