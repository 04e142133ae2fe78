module.exports = require('./drizzle-lib.cjs')(require('drizzle-orm'), require('drizzle-orm/pg-core'), require('./index.cjs'));
