/*
 * type.c
 *	  Which type of the catalog is bson.
 */
#include "sql/site/type.h"

#include "access/transam.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/* The type found to be bson last, until a type or a function changes in the catalogs */
static Oid	bson_type;
static uint64 changes;

static void
forget_types(Datum arg, int cacheid, uint32 hashvalue)
{
	changes++;
	bson_type = InvalidOid;
}

static void
remember(Oid typid, uint64 before)
{
	static bool registered = false;

	if (!registered)
	{
		CacheRegisterSyscacheCallback(TYPEOID, forget_types, (Datum) 0);
		CacheRegisterSyscacheCallback(PROCOID, forget_types, (Datum) 0);
		registered = true;
	}
	else if (changes == before)
		bson_type = typid;
}

/*
 * A type is bson if its output function is ours: the type may be in any schema, and other extensions
 * can have types named bson
 */
bool
PgBsonIsBsonType(Oid typid)
{
	Oid			output;
	bool		is_varlena;
	FmgrInfo	flinfo;
	uint64		before = changes;

	if (typid < FirstNormalObjectId)
		return false;
	if (typid == bson_type)
		return true;
	getTypeOutputInfo(typid, &output, &is_varlena);
	fmgr_info(output, &flinfo);
	if (flinfo.fn_addr != pgbson_out)
		return false;
	remember(typid, before);
	return true;
}

bool
PgBsonIsBsonOrDomain(Oid typid)
{
	return OidIsValid(typid) && (typid == bson_type || PgBsonIsBsonType(getBaseType(typid)));
}
