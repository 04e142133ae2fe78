module.exports = require('./lib.cjs')(require('bson'));
