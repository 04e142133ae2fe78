exports.bson = require('./mikro-orm-lib.cjs')(require('@mikro-orm/core'), require('./index.cjs'));
