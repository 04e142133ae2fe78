/*
 * extjson.c
 *	  Extended JSON wrappers: which objects are one, and what they stand for.
 */
#include "json/extjson.h"

/* The keys that make an object a wrapper, and the two that may */
typedef enum WrapperKey
{
	NOT_A_KEY,
	KEY_BINARY,
	KEY_CODE,
	KEY_DATE,
	KEY_DBPOINTER,
	KEY_MAXKEY,
	KEY_MINKEY,
	KEY_DECIMAL,
	KEY_DOUBLE,
	KEY_INT,
	KEY_LONG,
	KEY_OID,
	KEY_REGULAR_EXPRESSION,
	KEY_SYMBOL,
	KEY_TIMESTAMP,
	KEY_UNDEFINED,
	KEY_UUID,
	KEY_REGEX,					/* these two together only */
	KEY_OPTIONS
} WrapperKey;

static const struct
{
	const char *name;
	WrapperKey	key;
}			wrapper_keys[] =
{
	{"$binary", KEY_BINARY},
	{"$code", KEY_CODE},
	{"$date", KEY_DATE},
	{"$dbPointer", KEY_DBPOINTER},
	{"$maxKey", KEY_MAXKEY},
	{"$minKey", KEY_MINKEY},
	{"$numberDecimal", KEY_DECIMAL},
	{"$numberDouble", KEY_DOUBLE},
	{"$numberInt", KEY_INT},
	{"$numberLong", KEY_LONG},
	{"$oid", KEY_OID},
	{"$options", KEY_OPTIONS},
	{"$regex", KEY_REGEX},
	{"$regularExpression", KEY_REGULAR_EXPRESSION},
	{"$symbol", KEY_SYMBOL},
	{"$timestamp", KEY_TIMESTAMP},
	{"$undefined", KEY_UNDEFINED},
	{"$uuid", KEY_UUID},
};

static WrapperKey
wrapper_key(const char *key, uint32 len)
{
	if (len < 4 || key[0] != '$')
		return NOT_A_KEY;
	for (int i = 0; i < lengthof(wrapper_keys); i++)
	{
		if (strlen(wrapper_keys[i].name) == len && memcmp(wrapper_keys[i].name, key, len) == 0)
			return wrapper_keys[i].key;
	}
	return NOT_A_KEY;
}

bool
PgBsonExtJsonClaims(PgBsonView doc)
{
	PgBsonIter	iter;
	uint32		count = 0;
	bool		regex = false;
	bool		options = false;

	PgBsonIterInit(&iter, doc);
	while (PgBsonIterNext(&iter))
	{
		WrapperKey	key = wrapper_key(iter.key, iter.key_len);

		if (key == KEY_REGEX)
			regex = iter.value.type == PGBSON_STRING;
		else if (key == KEY_OPTIONS)
			options = iter.value.type == PGBSON_STRING;
		else if (key != NOT_A_KEY)
			return true;
		count++;
	}
	return regex && options && count == 2;
}
