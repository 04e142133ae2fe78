"""Django: BSONField, and the plain JSONField on a bson column, with the lookups of JSONField."""
import datetime
import json
import logging
import os
import sys
import unittest

# DRIVER: psycopg, psycopg_server (server_side_binding) or psycopg2, which Django takes where there is no psycopg
DRIVER = os.environ.get('DRIVER', 'psycopg')
if DRIVER == 'psycopg2':
    sys.modules['psycopg'] = None

import bson
import django
from django.conf import settings

settings.configure(
    DATABASES={'default': {
        'ENGINE': 'django.db.backends.postgresql', 'HOST': os.environ.get('PGHOST', 'localhost'), 'PORT': os.environ.get('PGPORT', '5432'),
        'USER': os.environ.get('PGUSER', os.environ.get('USER', 'postgres')), 'NAME': os.environ.get('PGDATABASE', 'postgres'),
        'OPTIONS': {'server_side_binding': True} if DRIVER == 'psycopg_server' else {}}},
    INSTALLED_APPS=['django.contrib.postgres', 'common'], USE_TZ=True, DEFAULT_AUTO_FIELD='django.db.models.BigAutoField')
django.setup()

import pg_bson
from django.contrib.postgres.aggregates import ArrayAgg
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.core import serializers
from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection, migrations, models
from django.db.migrations.state import ProjectState
from django.db.migrations.writer import MigrationWriter
from django.db.models import Count, Exists, F, Max, OuterRef, Subquery, Value
from django.db.models.fields.json import KT
from django.forms import modelform_factory
from pg_bson.django import BsonExtension, BSONField
from common import SENT, kinds


CONDITION = 'condition' if django.VERSION >= (5, 1) else 'check'
ORDERED = 'order_by' if django.VERSION >= (5, 2) else 'ordering'


class Doc(models.Model):
    data = BSONField(null=True)

    class Meta:
        app_label = 'common'
        indexes = [GinIndex(fields=['data'], name='django_doc_data', opclasses=['bson_range_ops'])]


class Checked(models.Model):
    data = BSONField()
    more = ArrayField(BSONField(), null=True, blank=True)

    class Meta:
        app_label = 'common'
        constraints = [models.CheckConstraint(**{CONDITION: models.Q(data__contains={'kind': {'id': bson.Int64(1)}})}, name='is_of_kind'),
                       models.CheckConstraint(**{CONDITION: models.Q(data__n__gt=0)}, name='is_positive')]


class Plain(models.Model):
    """The column is a bson, and Django thinks that it is a jsonb."""
    data = models.JSONField(null=True)

    class Meta:
        app_label = 'common'
        db_table = 'django_plain'


class Lookups:
    """The operations of JSONField, the same for both fields."""
    def create(self):
        for n in range(3):
            self.model.objects.create(data={'n': n, 'name': f'Ada{n}', 'a': {'b': [n, 'x'], 'c': None}})
        self.model.objects.create(data=[1, 2])
        self.model.objects.create(data=None)

    def numbers(self, **conditions):
        return sorted(each.data['n'] for each in self.model.objects.filter(**conditions))

    def test_lookups(self):
        self.create()
        for expected, conditions in (
                ([1], dict(data={'n': 1, 'name': 'Ada1', 'a': {'b': [1, 'x'], 'c': None}})),
                ([1], dict(data__contains={'a': {'b': [1]}})),
                ([0], dict(data__contained_by={'n': 0, 'name': 'Ada0', 'a': {'b': [0, 'x'], 'c': None}, 'more': 1})),
                ([0, 1, 2], dict(data__has_key='name')), ([0, 1, 2], dict(data__a__has_key='b')),
                ([0, 1, 2], dict(data__has_keys=['n', 'a'])), ([0, 1, 2], dict(data__has_any_keys=['n', 'z'])),
                ([2], dict(data__n=2)), ([2], dict(data__a__b__0=2)), ([2], dict(data__a={'b': [2, 'x'], 'c': None})),
                ([1, 2], dict(data__n__gt=0)), ([1, 2], dict(data__n__gte=1)), ([0], dict(data__n__lt=1)), ([0, 1], dict(data__n__lte=1)),
                ([0, 2], dict(data__n__in=[0, 2])), ([1], dict(data__n__range=(1, 1))),
                ([1], dict(data__name='Ada1')), ([1], dict(data__name__iexact='ADA1')), ([1], dict(data__name__icontains='A1')),
                ([0, 1, 2], dict(data__name__startswith='Ada')), ([2], dict(data__name__endswith='2')),
                ([2], dict(data__name__regex='a2$')), ([2], dict(data__name__iregex='^ADA2')),
                ([0, 1, 2], dict(data__n__isnull=False)), ([0, 1, 2], dict(data__a__c=None)),
                ([0, 1, 2], dict(data__a__b__1='x'))):
            self.assertEqual(self.numbers(**conditions), expected, conditions)
        self.assertEqual(self.model.objects.filter(data__isnull=True).count(), 1)
        self.assertEqual(self.model.objects.exclude(data__n=0).filter(data__has_key='n').count(), 2)
        self.assertEqual(self.model.objects.get(data__0=1).data, [1, 2])
        self.assertEqual(self.model.objects.get(data__n=F('data__a__b__0'), data__name='Ada1').data['n'], 1)

    def test_queries(self):
        self.create()
        objects = self.model.objects.filter(data__has_key='n')
        self.assertEqual([each.data['n'] for each in objects.order_by('-data__n')], [2, 1, 0])
        self.assertEqual(list(objects.order_by('data__n').values_list('data__n', 'data__a__b')),
                         [(n, [n, 'x']) for n in range(3)])
        self.assertEqual(sorted(objects.annotate(name=KT('data__name')).values_list('name', flat=True)), ['Ada0', 'Ada1', 'Ada2'])
        self.assertEqual(list(objects.values('data__a__c').annotate(many=Count('id')).values_list('many', flat=True)), [3])
        self.assertEqual(objects.filter(id__in=objects.filter(data__n__gt=0).values('id')).count(), 2)
        self.assertEqual(objects.update(data={'n': 9}), 3)
        self.assertEqual(self.numbers(data__n=9), [9, 9, 9])
        self.model.objects.bulk_create([self.model(data={'n': n}) for n in (20, 21)])
        self.assertEqual(self.numbers(data__n__gte=20), [20, 21])
        changed = list(self.model.objects.filter(data__n__gte=20))
        for each in changed:
            each.data['n'] += 10
        self.model.objects.bulk_update(changed, ['data'])
        self.assertEqual(self.numbers(data__n__gte=20), [30, 31])


class PlainJSONField(Lookups, unittest.TestCase):
    model = Plain

    def setUp(self):
        with connection.cursor() as cursor:
            cursor.execute('CREATE TABLE django_plain (id bigserial PRIMARY KEY, data bson)')
        self.addCleanup(lambda: connection.cursor().execute('DROP TABLE django_plain'))


class Field(Lookups, unittest.TestCase):
    model = Doc

    def setUp(self):
        with connection.schema_editor() as editor:
            editor.create_model(Doc)
        self.addCleanup(self.drop)

    def drop(self):
        with connection.schema_editor() as editor:
            editor.delete_model(Doc)

    def test_types(self):
        Doc.objects.create(data=SENT)
        self.assertEqual(kinds(Doc.objects.get().data), kinds(SENT))
        self.assertEqual(kinds(Doc.objects.values_list('data__int64', flat=True).get()), kinds(bson.Int64(15)))
        self.assertEqual(kinds(Doc.objects.raw('SELECT * FROM common_doc')[0].data), kinds(SENT))
        self.assertEqual(Doc.objects.filter(data___id=SENT['_id'], data__date=SENT['date']).count(), 1)
        self.assertEqual(Doc.objects.filter(data__date__lt=datetime.datetime(2023, 1, 1, tzinfo=datetime.timezone.utc)).count(), 1)
        self.assertEqual(kinds(Doc.objects.aggregate(most=Max('data__int64'))['most']), kinds(bson.Int64(15)))

    def test_driver(self):
        self.assertEqual(connection.Database.__name__, DRIVER.removesuffix('_server'))

    def test_query_of_mongodb(self):
        self.create()
        self.assertEqual(self.numbers(data__match={'n': {'$gt': 0}, 'a.b': 'x'}), [1, 2])
        with connection.cursor() as cursor:
            cursor.execute('SET enable_seqscan = off')
            found = Doc.objects.filter(data__match={'n': {'$gt': 0}})
            self.assertIn('django_doc_data', found.explain())
            cursor.execute('RESET enable_seqscan')

    def test_serialize(self):
        made = Doc.objects.create(data=SENT)
        text = serializers.serialize('json', Doc.objects.all())
        made.delete()
        for each in serializers.deserialize('json', text):
            each.save()
        self.assertEqual(kinds(Doc.objects.get().data), kinds(SENT))

    def test_constraints(self):
        with connection.schema_editor() as editor:
            editor.create_model(Checked)
        self.addCleanup(lambda: connection.cursor().execute('DROP TABLE common_checked'))
        right, wrong = {'kind': {'id': 1, 'more': 2}, 'n': 1}, [{'kind': {'id': 2}, 'n': 1}, {'kind': {'id': 1}, 'n': 0}]
        with self.assertLogs('django.db.models') as logs:
            logging.getLogger('django.db.models').warning('the only one')       # Python 3.9 has no assertNoLogs
            Checked(data=right).full_clean()
            for each in wrong:
                with self.assertRaisesRegex(ValidationError, 'is_of_kind|is_positive'):
                    Checked(data=each).full_clean()
                with self.assertRaisesRegex(IntegrityError, 'is_of_kind|is_positive'):
                    Checked.objects.create(data=each)
        self.assertEqual(len(logs.output), 1, logs.output)
        Checked.objects.create(data=right, more=[SENT, None, [1, 2]])
        self.assertEqual(kinds(Checked.objects.get().more), kinds([SENT, None, [1, 2]]))

    def test_arrays(self):
        for data in SENT, [1, 2], None:
            Doc.objects.create(data=data)
        found = Doc.objects.aggregate(all=ArrayAgg('data', **{ORDERED: 'id'}), ids=ArrayAgg('data__int64', **{ORDERED: 'id'}))
        self.assertEqual(kinds(found), kinds({'all': [SENT, [1, 2], None], 'ids': [bson.Int64(15), None, None]}))

    def test_subqueries(self):
        self.create()
        some = Doc.objects.filter(data__n__gt=0)
        self.assertEqual(self.numbers(data__in=some.values('data')), [1, 2])
        self.assertEqual(self.numbers(data__in=[each.data for each in some]), [1, 2])
        first = Doc.objects.filter(data__n=1).values('data')
        self.assertEqual(self.numbers(data=Subquery(first)), [1])
        one, = Doc.objects.annotate(first=Subquery(first)).filter(data__n=2)
        self.assertEqual(one.first['n'], 1)
        self.assertEqual(kinds(Doc.objects.annotate(value=Value({'n': bson.Int64(1)}, BSONField())).first().value), kinds({'n': bson.Int64(1)}))
        self.assertEqual(Doc.objects.filter(Exists(Doc.objects.filter(data=OuterRef('data'), data__n=1))).count(), 1)
        Doc.objects.create(data={'n': 1.0, 'name': 'Ada1', 'a': {'b': [1, 'x'], 'c': None}})
        self.assertEqual(Doc.objects.filter(data__n=1).order_by('data').values('data').distinct().count(), 1)
        self.assertEqual(len(Doc.objects.filter(data__n=1).order_by('data').values_list('data').distinct()), 1)
        self.assertEqual(Doc.objects.filter(data__n=1).update(data=F('data__a')), 2)

    def test_form(self):
        Form = modelform_factory(Doc, fields=['data'])
        odd = {'a': {'$oid': 'not one'}, 'x': {'$numberLong': 'y'}}
        for value in SENT, odd, [bson.Int64(1)], bson.Int64(7), 'text', {'f': float('nan'), 'code': bson.Code('x')}, {'deep': {'date': bson.DatetimeMS(2**62)}}:
            doc = Doc.objects.create(data=value)
            doc.refresh_from_db()
            shown = Form(instance=doc)['data'].value()
            form = Form({'data': shown}, instance=doc)
            self.assertTrue(form.is_valid(), (form.errors, shown))
            self.assertFalse(form.has_changed(), shown)
            form.save()
            doc.refresh_from_db()
            self.assertEqual(pg_bson.to_bytes(doc.data), pg_bson.to_bytes(value))
        self.assertEqual(json.loads(Form.base_fields['data'].prepare_value({'_id': SENT['_id'], 'n': 1})), {'_id': {'$oid': str(SENT['_id'])}, 'n': 1})
        self.assertTrue(Form({'data': '{"n": 2}'}, instance=Doc(data={'n': bson.Int64(2)})).has_changed())
        self.assertIsNone(Doc._meta.get_field('data').formfield(required=False).clean(''))
        for wrong in ('{', '{"_id": {"$oid": "5"}}', '{"n": %s}' % ('9' * 35), '{"n": {"$numberDecimal": "x"}}', '{"d": {"$date": "yesterday"}}',
                      '{"d": {"$date": {}}}', '{"b": {"$binary": 5}}', '{"r": {"$regularExpression": 5}}', '{"a\\u0000b": 1}', '{"s": "\\ud800"}',
                      '\\x05', '\\xzz', '[' * 100000, '{"n": {"$numberLong": "1e5"}}', '{"u": {"$uuid": 1}}', '{"t": {"$timestamp": 1}}'):
            form = Form({'data': wrong})
            self.assertFalse(form.is_valid(), wrong)
            self.assertEqual(form.errors.as_data()['data'][0].code, 'invalid')
            self.assertIn('textarea', form.as_p())              # the page with the error can be shown
            self.assertEqual(form['data'].value(), wrong)
        Doc(data=SENT).full_clean()
        for wrong in {'n': 10**40 + 1}, {(1, 2): 2}, {'a': object()}:
            with self.assertRaises(ValidationError):
                Doc(data=wrong).full_clean()

    def test_as_json(self):
        """What JSONField takes: integers as keys, and those beyond 64 bits, also in a form."""
        Doc(data={1: {2: 2**70}}).full_clean()
        made = Doc.objects.create(data={1: {2: [2**70, True]}, None: 1.5})
        made.refresh_from_db()
        self.assertEqual(made.data, {'1': {'2': [bson.Decimal128(str(2**70)), True]}, 'null': 1.5})
        self.assertEqual(Doc.objects.filter(data__contains={1: {2: [2**70]}}).count(), 1)
        Form = modelform_factory(Doc, fields=['data'])
        for digits in '123456789012345678901234567890', '9223372036854775808':
            form = Form({'data': '{"n": %s}' % digits})
            self.assertTrue(form.is_valid())
            self.assertEqual(Doc.objects.filter(pk=form.save().pk).values_list('data__n', flat=True).get(), bson.Decimal128(digits))
        with self.assertRaisesRegex(OverflowError, '34 digits'):
            Doc.objects.create(data={'n': 10**40 + 1})

    def test_two_databases(self):
        """The type has another number after the extension is made again, and in another database."""
        with connection.cursor() as cursor:
            cursor.execute('CREATE DATABASE django_other')
        old = settings.DATABASES['default']['NAME']
        try:
            connection.close()
            connection.settings_dict['NAME'] = 'django_other'
            with connection.cursor() as cursor:
                cursor.execute('CREATE TYPE one AS (a int)')                # so that the number is another
                cursor.execute('CREATE EXTENSION bson')
            connection.close()
            with connection.schema_editor() as editor:
                editor.create_model(Doc)
            Doc.objects.create(data=SENT)
            self.assertEqual(kinds(Doc.objects.aggregate(all=ArrayAgg('data'))['all']), kinds([SENT]))
        finally:
            connection.close()
            connection.settings_dict['NAME'] = old
            with connection.cursor() as cursor:
                cursor.execute('DROP DATABASE django_other')

    def test_change(self):
        """Read, change, write back."""
        made = Doc.objects.create(data=SENT)
        doc = Doc.objects.get(pk=made.pk)
        doc.data['int32'] = 16
        doc.save()
        self.assertEqual(kinds(Doc.objects.get(pk=made.pk).data), kinds(SENT | {'int32': 16}))

    def test_migration(self):
        class Migration(migrations.Migration):
            operations = [BsonExtension(), migrations.CreateModel('Made', [
                ('id', models.BigAutoField(primary_key=True)), ('data', BSONField(default=dict))])]
        written = MigrationWriter(Migration('0001', 'documents')).as_string()
        self.assertIn('pg_bson.django.BSONField(default=dict)', written)
        names = {}
        exec(written, names)
        with connection.schema_editor() as editor:
            state = names['Migration']('0001', 'documents').apply(ProjectState(), editor)
            made = state.apps.get_model('documents', 'Made')
            made.objects.create(data={'n': 1})
            self.assertEqual(made.objects.get().data, {'n': 1})
            editor.delete_model(made)


unittest.main()
