import * as bson from 'bson';
import make from './lib.cjs';

export const { fromBytes, fromText, parameter, register, registerPostgres, stringify, toBytes, toText, withDocuments } = make(bson);
