/*
 * fuse.h
 *	  Casts of the text of accessors, made one call.
 */
#ifndef PGBSON_FUSE_H
#define PGBSON_FUSE_H

/* GUC bson.fuse_casts: are plans changed so? */
extern bool PgBsonFuseCasts;

/* Have plans of this session changed so from now on, and that of the statement that is being planned */
extern void PgBsonInstallFuse(void);

#endif							/* PGBSON_FUSE_H */
