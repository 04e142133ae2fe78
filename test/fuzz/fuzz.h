/*
 * fuzz.h
 *	  What the fuzz targets share: a call that may raise, and documents made of bytes.
 *
 * A target is a C file of its own with LLVMFuzzerTestOneInput.  It runs the
 * extension's own files (src/core, src/json, src/mongo)
 * against the stand-ins of server.c; all of them are built with the sanitizers.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include "postgres.h"

#include "core/bytes/view.h"
#include "build.h"
#include "core/write/write.h"

extern int	LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * Run a call; false if it raised.  An error is held to what the extension may
 * say: an SQLSTATE that is not XX000, a message that fits its arguments.
 */
typedef void (*FuzzCall) (void *arg);
extern bool FuzzTry(FuzzCall call, void *arg);

/* The SQLSTATE of the last error */
extern int	fuzz_sqlstate;

/* The same of a call about valid documents, which must not be called damaged */
extern bool FuzzTryValid(FuzzCall call, void *arg);

/* Everything palloc'd since the last time is gone */
extern void FuzzReset(void);

/* End the process with a message, which is a finding */
extern void FuzzFail(const char *format,...) pg_attribute_printf(1, 2) __attribute__((noreturn));

#define FuzzCheck(condition) \
	do { \
		if (!(condition)) \
			FuzzFail("%s:%d: not true: %s", __FILE__, __LINE__, #condition); \
	} while (0)

/* A copy of these bytes as a datum; a block of its own, so that its bounds are watched */
extern PgBson *FuzzDatum(const uint8 *data, Size len);

/* The bytes of an input, used up one after the other; zeroes when there are no more */
typedef struct FuzzInput
{
	const uint8 *p;
	const uint8 *end;
} FuzzInput;

static inline uint8
FuzzByte(FuzzInput *in)
{
	return in->p < in->end ? *in->p++ : 0;
}

/* A valid value of any type, or document, by the bytes of an input */
extern PgBson *FuzzMake(FuzzInput *in);

/* A key of few that are likely to meet */
extern const char *FuzzKey(FuzzInput *in, uint32 *len);

/* A path of MongoDB's of few, a query and an update, likely to be one of those it has no error for */
extern const char *FuzzPath(FuzzInput *in);
extern void FuzzPutQuery(PgBsonBuilder *b, FuzzInput *in, int level);
extern void FuzzPutUpdate(PgBsonBuilder *b, FuzzInput *in);

/* To a builder: a key; a value by the bytes of an input */
extern void FuzzPutKey(PgBsonBuilder *b, const char *key);
extern void FuzzPutValue(PgBsonBuilder *b, FuzzInput *in);

/* The datum is a valid document */
extern void FuzzCheckDatum(const PgBson *bson);

#endif							/* FUZZ_H */
