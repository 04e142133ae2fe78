// MikroORM: the type of a property that is a bson column.
module.exports = ({ Type }, { fromText, toText }) => (options) => class BsonType extends Type {
  convertToDatabaseValue(value) { return value === null || value === undefined ? value : toText(value); }

  // a connection that is registered has made a value of the text
  convertToJSValue(value) { return typeof value === 'string' ? fromText(value, options) : value; }

  getColumnType() { return 'bson'; }

  // by their bytes, so that a change within a document is seen, and one of a type only
  compareAsType() { return 'string'; }

  ensureComparable() { return true; }
};
