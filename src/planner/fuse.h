/*
 * fuse.h
 *	  Casts of the text of accessors, made one call.
 */
#ifndef PGBSON_FUSE_H
#define PGBSON_FUSE_H

/* The setting bson.fuse_casts: change plans? */
extern bool PgBsonFuseCasts;

/*
 * Install the hooks that change plans: those that this session makes from now on, including the one
 * that is being made
 */
extern void PgBsonInstallFuse(void);

#endif							/* PGBSON_FUSE_H */
