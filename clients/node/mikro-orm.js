import * as core from '@mikro-orm/core';
import * as values from './index.js';
import make from './mikro-orm-lib.cjs';

export const bson = make(core, values);
