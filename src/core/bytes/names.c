/*
 * names.c
 *	  Looking names up in lists and tables that the code has.
 */
#include "core/bytes/names.h"

int
PgBsonNameAmong(const char *names, const char *name, uint32 len)
{
	int			position = 0;

	for (const char *p = names; *p != '\0';)
	{
		Size		width = strcspn(p, " ");
		Size		name_width = strcspn(p, " !?:");

		if (name_width == len && memcmp(p, name, len) == 0)
			return position;
		p += width;
		p += strspn(p, " ");
		position++;
	}
	return -1;
}

const void *
PgBsonRowAmong(const void *rows, int count, Size width, const char *name, uint32 len)
{
	for (const char *row = rows; count > 0; count--, row += width)
	{
		if (PgBsonKeyIs(name, len, *(const char *const *) row))
			return row;
	}
	return NULL;
}
