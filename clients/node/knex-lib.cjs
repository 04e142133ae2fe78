// Knex: its client for PostgreSQL, with connections that are registered.  It makes JSON of an object that is inserted, and its
// streams of every object, before the connection sees them.
module.exports = (PostgresClient, { parameter, register }) => (options) => class extends PostgresClient {
  async acquireRawConnection() {
    const connection = await super.acquireRawConnection();
    await register(connection, { ...options, warn: false }).catch((error) => {
      if (error.code !== 'PG_BSON_MISSING') throw error;         // a migration is to create the extension
    });
    return connection;
  }

  parameterize(values, ...rest) {
    return super.parameterize(Array.isArray(values) ? values.map((value) => (isPlain(value) ? parameter(value) : value)) : values, ...rest);
  }

  _stream(connection, query, ...rest) {
    return super._stream(connection, { ...query, bindings: query.bindings?.map(parameter) }, ...rest);
  }
};

const isPlain = (value) => typeof value === 'object' && value !== null && [Object.prototype, Map.prototype, null].includes(Object.getPrototypeOf(value));
