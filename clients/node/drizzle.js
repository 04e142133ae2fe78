// Drizzle: a bson column, and conditions on it, with the drivers pg and postgres.js.
import { sql } from 'drizzle-orm';
import { customType } from 'drizzle-orm/pg-core';
import { fromBytes, fromText, toText } from './index.js';

export const bson = customType({
  dataType: () => 'bson',
  toDriver: toText,
  fromDriver: (value) => (typeof value === 'string' ? fromText(value) : value instanceof Uint8Array ? fromBytes(value) : value),
});

export const contains = (column, value) => sql`${column} @> ${sql.param(value, column)}`;
export const match = (column, query) => sql`${column} @~ ${sql.param(query, column)}`;
export const text = (column, ...path) => sql`${column} #>> ${sql.param(path.map(String))}::text[]`;
