/*
 * type.c
 *	  Which type of the catalog is bson.
 */
#include "core/type.h"

#include "access/transam.h"
#include "fmgr.h"
#include "utils/lsyscache.h"

/* Told by its output function, as the type may be in any schema and any extension can have a bson type */
bool
PgBsonIsBsonType(Oid typid)
{
	extern Datum pgbson_out(FunctionCallInfo fcinfo);
	Oid			output;
	bool		is_varlena;
	FmgrInfo	flinfo;

	if (typid < FirstNormalObjectId)
		return false;
	getTypeOutputInfo(typid, &output, &is_varlena);
	fmgr_info(output, &flinfo);
	return flinfo.fn_addr == pgbson_out;
}

bool
PgBsonIsBsonOrDomain(Oid typid)
{
	return OidIsValid(typid) && PgBsonIsBsonType(getBaseType(typid));
}
