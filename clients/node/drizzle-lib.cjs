// Drizzle: a bson column, and conditions on it, with the drivers pg and postgres.js.
module.exports = ({ sql }, { customType }, { fromBytes, fromText, toText }) => {

class Text {
  constructor(text) { this.text = text; }
  toPostgres() { return this.text; }
  toString() { return this.text; }
}

const bson = customType({
  dataType: () => 'bson',
  // text for both drivers, also for a postgres.js that is registered, which would make a BSON string of a string
  toDriver: (value) => new Text(toText(value)),
  fromDriver: (value) => (typeof value === 'string' ? fromText(value) : value instanceof Uint8Array ? fromBytes(value) : value),
});

const contains = (column, value) => sql`${column} @> ${sql.param(value, column)}`;
const match = (column, query) => sql`${column} @~ ${sql.param(query, column)}`;
const text = (column, ...path) => sql`${column} #>> ${sql.param(path.map(String))}::text[]`;

return { bson, contains, match, text };
};
