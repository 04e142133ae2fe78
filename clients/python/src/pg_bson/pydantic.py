"""Pydantic: types for the fields of a model that a document fills, Model(**document), and that is printed as JSON.

model.model_dump() is a document again; datetime, UUID, int and str need no type of their own.
"""
from __future__ import annotations

import decimal
from typing import Annotated, Any

import bson
from pydantic import BeforeValidator, InstanceOf, PlainSerializer, WithJsonSchema

from . import _float as _of_decimal

__all__ = ['Decimal', 'Float', 'ObjectId']


def _objectid(value: Any) -> Any:
    return bson.ObjectId(value) if isinstance(value, str) and bson.ObjectId.is_valid(value) else value


def _decimal(value: Any) -> Any:
    return value.to_decimal() if isinstance(value, bson.Decimal128) else value


def _float(value: Any) -> Any:
    return _of_decimal(value) if isinstance(value, bson.Decimal128) else value


# An ObjectId, or its 24 digits, which JSON has
ObjectId = Annotated[InstanceOf[bson.ObjectId], BeforeValidator(_objectid), PlainSerializer(str, return_type=str, when_used='json'),
                     WithJsonSchema({'type': 'string', 'pattern': '^[0-9a-fA-F]{24}$'})]
# A price, however it is stored: an int, a double or a decimal
Decimal = Annotated[decimal.Decimal, BeforeValidator(_decimal)]
Float = Annotated[float, BeforeValidator(_float)]
