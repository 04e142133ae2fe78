exports.client = require('./knex-lib.cjs')(require('knex/lib/dialects/postgres/index.js'), require('./index.cjs'));
