import PostgresClient from 'knex/lib/dialects/postgres/index.js';
import * as values from './index.js';
import make from './knex-lib.cjs';

export const client = make(PostgresClient, values);
