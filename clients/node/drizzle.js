import * as drizzle from 'drizzle-orm';
import * as core from 'drizzle-orm/pg-core';
import * as values from './index.js';
import make from './drizzle-lib.cjs';

export const { bson, contains, match, text } = make(drizzle, core, values);
