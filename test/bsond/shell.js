// A session of mongosh, as a person would type it; what differs from what is expected is an error
function same(found, wanted) {
    if (EJSON.stringify(found) !== EJSON.stringify(wanted)) throw new Error(`${EJSON.stringify(found)} is not ${EJSON.stringify(wanted)}`);
}
db = db.getSiblingDB('app_shell');
db.dropDatabase();
same(db.item.insertMany([{ _id: 1, n: 5 }, { _id: 2, n: 7, tags: ['a', 'b'] }]).acknowledged, true);
same(db.item.find({ tags: 'a' }).toArray(), [{ _id: 2, n: 7, tags: ['a', 'b'] }]);
same(db.item.updateOne({ _id: 1 }, { $inc: { n: 1 } }).modifiedCount, 1);
same(db.item.updateOne({ _id: 1 }, { $set: { n: 6 } }).modifiedCount, 0);
same(db.item.createIndex({ n: 1 }, { name: 'by n' }), 'by n');
same(db.item.getIndexes().map(index => index.name), ['_id_', 'by n']);
same(db.item.aggregate([{ $group: { _id: null, s: { $sum: '$n' } } }]).toArray(), [{ _id: null, s: 13 }]);
same(db.item.stats().count, 2);
same(db.getCollectionNames(), ['item']);
same(db.item.find({ n: 6 }).explain().queryPlanner.namespace, 'app_shell.item');
db.createView('big', 'item', [{ $match: { n: { $gt: 6 } } }]);
same(db.big.find().toArray().length, 1);
db.item.aggregate([{ $match: { n: 7 } }, { $out: 'copy' }]);
same(db.copy.countDocuments(), 1);
db.item.renameCollection('thing');
same(db.getCollectionNames().sort(), ['big', 'copy', 'thing']);
same(db.adminCommand({ listDatabases: 1 }).databases.some(each => each.name === 'app_shell'), true);
same(db.thing.distinct('tags'), ['a', 'b']);
same(db.thing.findOneAndDelete({ _id: 2 }).n, 7);
db.dropDatabase();
