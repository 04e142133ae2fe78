import type { SQL, SQLWrapper } from 'drizzle-orm';
import type { AnyPgColumn, customType } from 'drizzle-orm/pg-core';

/** A column of type bson. */
export const bson: ReturnType<typeof customType<{ data: any; driverData: string }>>;
/** `@>` */
export function contains(column: AnyPgColumn, value: unknown): SQL<boolean>;
/** `@~`, a query of MongoDB */
export function match(column: AnyPgColumn, query: unknown): SQL<boolean>;
/** `#>>` */
export function text(column: AnyPgColumn | SQLWrapper, ...path: (string | number)[]): SQL<string | null>;
