import type { Knex } from 'knex';
import type { Options } from './index.cjs';

/** Knex's client for PostgreSQL, `Knex({ client: client(), connection })`: objects keep their types, also those that are inserted. */
export function client(options?: Options): typeof Knex.Client;
