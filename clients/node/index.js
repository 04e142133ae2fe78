import * as bson from 'bson';
import make from './lib.cjs';

export const { fromBytes, fromText, register, registerPostgres, stringify, toBytes, toText } = make(bson);
