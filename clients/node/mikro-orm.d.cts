import type { Type } from '@mikro-orm/core';
import type { Options } from './index.cjs';

/** The type of a property that is a bson column: `{ type: bson() }`, or `@Property({ type: bson() })`. */
export function bson(options?: Options): new () => Type<any, string>;
