"""Values without a server: texts, what numbers become, JSON for REST frameworks, Pydantic's types."""
import collections
import datetime
import decimal
import importlib.util
import json
import types
import unittest
import uuid

import bson
import bson.raw_bson
import pg_bson
from bson import json_util
from bson.codec_options import DatetimeConversion, TypeDecoder, TypeRegistry
from common import SENT, kinds

PRICES = '{"json": 12.5, "whole": 15.0, "int": 15, "large": 5000000000, "long": {"$numberLong": "15"}, "sql": {"$numberDecimal": "12.50"}, "list": [1.5, {"a": 2}]}'


class Upper(TypeDecoder):
    bson_type = str

    def transform_bson(self, value):
        return value.upper()


class Values(unittest.TestCase):
    def test_documents(self):
        """What is encoded as a document is stored as one, whatever its class, with its fields in their order."""
        fields = {'a': 1, '_id': 2, 'b': {'_id': 3}}
        expected = b'\x26\0\0\0\x10a\0\1\0\0\0\x10_id\0\2\0\0\0\x03b\0\x0e\0\0\0\x10_id\0\3\0\0\0\0\0'
        for value in fields, bson.SON(fields), types.MappingProxyType(fields), collections.ChainMap({}, fields), bson.raw_bson.RawBSONDocument(expected), pg_bson.Bson(fields):
            self.assertEqual(pg_bson.to_bytes(value), expected, type(value))
        self.assertEqual(pg_bson.from_bytes(pg_bson.to_bytes(bson.DBRef('c', 1))), {'$ref': 'c', '$id': 1})
        for value in [], 5, 'text', None, bson.ObjectId():
            self.assertEqual(pg_bson.to_bytes(value)[4:8], bytes([255, 0, bson.encode({'': value})[4], 0]))
        self.assertEqual(pg_bson.to_bytes(datetime.date(2022, 3, 3)), pg_bson.to_bytes(datetime.datetime(2022, 3, 3)))

    def test_nan(self):
        """Each NaN of a decimal can be read, whatever numbers become."""
        for bits in 0x7c, 0x7e, 0xfc, 0xfe:
            data = pg_bson.to_bytes({'v': bson.Decimal128.from_bid(bytes(15) + bytes([bits]))})
            for options, kind in (pg_bson.CODEC_OPTIONS, bson.Decimal128), (pg_bson.NATIVE_NUMBERS, float), (pg_bson.DECIMAL_NUMBERS, decimal.Decimal):
                self.assertIs(type(pg_bson.from_bytes(data, options)['v']), kind)

    def test_numbers(self):
        """The same by text and by bytes."""
        data = pg_bson.to_bytes(pg_bson.from_text(PRICES))
        D = decimal.Decimal
        for options, expected in (
                (pg_bson.CODEC_OPTIONS, dict(json=12.5, whole=15.0, int=15, large=bson.Int64(5000000000), long=bson.Int64(15), sql=bson.Decimal128('12.50'), list=[1.5, {'a': 2}])),
                (pg_bson.NATIVE_NUMBERS, dict(json=12.5, whole=15.0, int=15, large=5000000000, long=15, sql=12.5, list=[1.5, {'a': 2}])),
                (pg_bson.DECIMAL_NUMBERS, dict(json=D('12.5'), whole=D('15.0'), int=15, large=5000000000, long=15, sql=D('12.50'), list=[D('1.5'), {'a': 2}]))):
            self.assertEqual(kinds(pg_bson.from_bytes(data, options)), kinds(expected))
            self.assertEqual(kinds(pg_bson.from_text(PRICES, options)), kinds(expected))
            plain = {'n': [expected['json'], expected['whole'], expected['int'], expected['large']]}
            self.assertEqual(kinds(pg_bson.from_text('{"n": [12.5, 15.0, 15, 5000000000]}', options)), kinds(plain))
            self.assertEqual(kinds(pg_bson.from_text('5000000000', options)), kinds(expected['large']))
            self.assertEqual(kinds(pg_bson.from_text('\\x' + data.hex(), options)), kinds(expected))
            naive = options.with_options(tz_aware=False)
            self.assertEqual(pg_bson.from_text('{"at": {"$date": "2022-03-03T00:00:00Z"}, "n": 1}', naive), {'at': datetime.datetime(2022, 3, 3), 'n': 1})

    def test_integers(self):
        """An integer beyond 32 bits is seen wherever it stands."""
        for text, expected in (('{"a": 2147483648}', {'a': bson.Int64(2147483648)}), ('[-2147483649, 2147483647]', [bson.Int64(-2147483649), 2147483647]),
                               ('[5000000000]', [bson.Int64(5000000000)]), ('{"a":\n5000000000}', {'a': bson.Int64(5000000000)}), ('-5000000000', bson.Int64(-5000000000)),
                               ('{"a": [1,5000000000]}', {'a': [1, bson.Int64(5000000000)]}), ('{"a": 0.12345678901234, "b": "5000000000 12345678901"}', {'a': 0.12345678901234, 'b': '5000000000 12345678901'}),
                               ('{"n": 123456789012345678901234567890}', {'n': bson.Decimal128('123456789012345678901234567890')}),
                               ('{"a": "$5", "b": {"c": 1}}', {'a': '$5', 'b': {'c': 1}}), ('{"é": "\\ud83d\\ude00", "n": 5000000000}', {'é': '\U0001f600', 'n': bson.Int64(5000000000)}), (' {"a": 1}', {'a': 1})):
            self.assertEqual(kinds(pg_bson.from_text(text)), kinds(expected), text)

    def test_extended(self):
        """The objects of Extended JSON that the package makes by itself are those of pymongo, and so are the errors."""
        def made(read):
            try:
                return repr(read())
            except Exception as error:
                return type(error)
        values = ['{"$date": %s}' % each for each in ('"2022-03-03T12:13:14.789Z"', '"2022-03-03T12:13:14Z"', '"0001-01-01T00:00:00Z"', '"9999-12-31T23:59:59.999Z"', '"2022-03-03T12:13:14+01:00"', '"2022-03-03T12:13:14"',
                                                      '"2022-13-03T12:13:14Z"', '"2022-03-03T12:13:14,789Z"', '"2022-03-03T12:13+01Z"', '"0000-01-01T00:00:00Z"', '""', '"Z"', '{"$numberLong": "-1"}', '{"$numberLong": "253402300800000"}')]
        values += ['{"$oid": "5f2b1c3d4e5f60718293a4b5"}', '{"$oid": "x"}', '{"$numberLong": "5"}', '{"$numberLong": "x"}', '{"$numberDecimal": "1.10"}', '{"$numberDecimal": "x"}', '{"$date": "2022-03-03T12:13:14Z", "a": 1}']
        aware = pg_bson.CODEC_OPTIONS
        for options in aware, aware.with_options(tz_aware=False), aware.with_options(tzinfo=datetime.timezone(datetime.timedelta(hours=2))), aware.with_options(datetime_conversion=DatetimeConversion.DATETIME_MS):
            known = json_util.JSONOptions(json_mode=json_util.JSONMode.CANONICAL, tz_aware=options.tz_aware, tzinfo=options.tzinfo, datetime_conversion=options.datetime_conversion)
            for text in values:
                self.assertEqual(made(lambda: pg_bson.from_text(text, options)), made(lambda: json_util.loads(text, json_options=known)), text)

    def test_options(self):
        """Decoders and classes that the program names, also on text."""
        options = pg_bson.CODEC_OPTIONS.with_options(type_registry=TypeRegistry([Upper()]))
        ordered = pg_bson.CODEC_OPTIONS.with_options(document_class=collections.OrderedDict)
        raw = pg_bson.CODEC_OPTIONS.with_options(document_class=bson.raw_bson.RawBSONDocument)
        for text in '{"a": "x", "b": [{"c": "y"}]}', '{"a": "x", "b": [{"c": "y"}], "d": {"$oid": "5f2b1c3d4e5f60718293a4b5"}}':
            self.assertEqual(pg_bson.from_text(text, options)['b'], [{'c': 'Y'}])
            self.assertIs(type(pg_bson.from_text(text, ordered)['b'][0]), collections.OrderedDict)
            self.assertEqual(pg_bson.from_text(text, raw).raw, pg_bson.to_bytes(pg_bson.from_text(text)))

    def test_json(self):
        document = SENT | {'price': decimal.Decimal('12.50'), 'naive': datetime.datetime(2022, 3, 3), 'code': bson.Code('x()'), 'last': bson.MaxKey()}
        printed = json.loads(json.dumps(document, cls=pg_bson.JSONEncoder))
        self.assertEqual(printed, document | {
            '_id': '5f2b1c3d4e5f60718293a4b5', 'date': '2022-03-03T12:13:14.789Z', 'far': {'$date': {'$numberLong': '253402300800000'}}, 'decimal': '1.10', 'binary': 'AAH/',
            'uuid': '00112233-4455-6677-8899-aabbccddeeff', 'old uuid': 'A' * 22 + '==', 'regex': {'$regularExpression': {'pattern': '^a', 'options': 'i'}},
            'price': '12.50', 'naive': '2022-03-03T00:00:00.000Z', 'code': 'x()', 'last': {'$maxKey': 1}})
        with self.assertRaisesRegex(TypeError, 'object is not JSON serializable'):
            json.dumps({'a': object()}, cls=pg_bson.JSONEncoder)

    @unittest.skipUnless(importlib.util.find_spec('fastapi'), 'not among the oldest versions')
    def test_frameworks(self):
        import flask
        from fastapi.encoders import jsonable_encoder
        shown = jsonable_encoder(SENT, custom_encoder=pg_bson.JSON_ENCODERS)
        self.assertEqual(shown, json.loads(json.dumps(SENT, cls=pg_bson.JSONEncoder)))

        class Provider(flask.json.provider.DefaultJSONProvider):
            default = pg_bson.JSONEncoder().default

        class App(flask.Flask):
            json_provider_class = Provider
        app = App('test')
        app.add_url_rule('/', view_func=lambda: SENT)
        self.assertEqual(app.test_client().get('/').json, shown)

    @unittest.skipUnless(importlib.util.find_spec('pydantic'), 'not among the oldest versions')
    def test_pydantic(self):
        from typing import Optional

        import pydantic
        from pg_bson.pydantic import Decimal, Float, ObjectId

        class Order(pydantic.BaseModel):
            id: Optional[ObjectId] = pydantic.Field(default=None, alias='_id')
            price: Decimal
            weight: Float = 0.0
            key: Optional[uuid.UUID] = None
            at: Optional[datetime.datetime] = None
            count: int = 0
        for price in 12.5, bson.Decimal128('12.5'), '12.5':
            sent = {'_id': SENT['_id'], 'price': price, 'weight': bson.Decimal128('1.5'), 'key': SENT['uuid'], 'at': SENT['date'], 'count': bson.Int64(5)}
            order = Order(**sent)
            self.assertEqual(kinds([order.price, order.weight, order.id]), kinds([decimal.Decimal('12.5'), 1.5, SENT['_id']]))
            written = pg_bson.from_bytes(pg_bson.to_bytes(order.model_dump(by_alias=True)))
            self.assertEqual(written, sent | {'price': bson.Decimal128('12.5'), 'weight': 1.5})
            self.assertEqual(Order.model_validate_json(order.model_dump_json(by_alias=True)), order)
            self.assertIn('"5f2b1c3d4e5f60718293a4b5"', order.model_dump_json())
        self.assertEqual(Order.model_json_schema()['properties']['price'], pydantic.TypeAdapter(decimal.Decimal).json_schema(mode='validation') | {'title': 'Price'})
        for wrong in 'x' * 24, 5:
            with self.assertRaises(pydantic.ValidationError):
                Order(_id=wrong, price=1)


unittest.main()
