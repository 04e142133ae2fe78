/*
 * attempt.c
 *	  Doing what may fail, in a subtransaction, as PL/pgSQL does for EXCEPTION.
 */
#include "sql/attempt.h"

#include "access/xact.h"
#include "utils/resowner.h"

bool
PgBsonAttempt(void (*act) (void *arg), void *arg, bool (*expected) (const ErrorData *error))
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	ErrorData  *volatile error = NULL;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		act(arg);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	if (error == NULL)
		return true;
	if (!expected(error))
		ReThrowError(error);
	FreeErrorData(error);
	return false;
}
