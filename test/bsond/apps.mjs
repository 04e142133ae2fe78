// Programs that were written for MongoDB, with no line of theirs changed: the driver of Node.js, an ODM and its pages, a job queue,
// a session store, a limiter of rates, a tool for migrations and a CMS.  The argument is the address of bsond.  Each line of the output is "ok NAME", or "not ok NAME" and why.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { MongoClient } from 'mongodb';
import mongoose from 'mongoose';
import paginate from 'mongoose-paginate-v2';
import limiters from 'rate-limiter-flexible';
import * as migrations from 'migrate-mongo';
import agenda from 'agenda';
import express from 'express';
import session from 'express-session';
import MongoStore from 'connect-mongo';
import { mongooseAdapter } from '@payloadcms/db-mongodb';
import { buildConfig, getPayload } from 'payload';

const address = process.argv[2];
let failed = 0;

async function test(name, body) {
    try {
        await body();
        console.log(`ok node/${name}`);
    } catch (error) {
        console.log(`not ok node/${name}: ${error.stack}`);
        failed++;
    }
}

await test('driver', async () => {
    const client = await MongoClient.connect(address);
    const db = client.db('app_driver');
    await db.dropDatabase();
    const items = db.collection('item');
    await items.insertMany(Array.from({ length: 1000 }, (_, i) => ({ _id: i, n: i % 10, at: new Date(i) })));
    assert.equal((await items.find({ n: 3 }).batchSize(7).toArray()).length, 100);
    assert.deepEqual(await items.aggregate([{ $group: { _id: '$n', c: { $sum: 1 } } }, { $sort: { _id: 1 } }, { $limit: 1 }]).toArray(), [{ _id: 0, c: 100 }]);
    const bulk = await client.bulkWrite([{ name: 'insertOne', namespace: 'app_driver.item', document: { _id: 'x' } },
        { name: 'updateMany', namespace: 'app_driver.item', filter: { n: 1 }, update: { $inc: { n: 100 } } }, { name: 'deleteOne', namespace: 'app_driver.item', filter: { _id: 'x' } }]);
    assert.deepEqual([bulk.insertedCount, bulk.modifiedCount, bulk.deletedCount], [1, 100, 1]);
    assert.equal(await items.createIndex({ n: 1 }), 'n_1');
    await assert.rejects(items.insertOne({ _id: 5 }), error => error.code === 11000 && error.keyValue._id === 5);
    await client.withSession(s => s.withTransaction(async () => {
        await items.updateOne({ _id: 1 }, { $set: { t: 1 } }, { session: s });
        await items.deleteOne({ _id: 2 }, { session: s });
    }));
    assert.deepEqual([(await items.findOne({ _id: 1 })).t, await items.countDocuments()], [1, 999]);
    await client.close();
});

await test('mongoose', async () => {
    await mongoose.connect(address + 'app_mongoose');
    await mongoose.connection.dropDatabase();
    const Author = mongoose.model('Author', new mongoose.Schema({ name: { type: String, required: true, unique: true } }, { timestamps: true }));
    const Book = mongoose.model('Book', new mongoose.Schema({ title: String, tags: [String], author: { type: mongoose.Schema.Types.ObjectId, ref: 'Author' } }));
    await Author.init();
    const ada = await Author.create({ name: 'Ada' });
    await assert.rejects(Author.create({ name: 'Ada' }), error => error.code === 11000);
    await Book.create({ title: 'Notes', tags: ['a'], author: ada }, { title: 'More', author: ada });
    assert.equal((await Book.findOne({ tags: 'a' }).populate('author')).author.name, 'Ada');
    const book = await Book.findOne({ title: 'More' });
    book.tags.push('b', 'c');
    await book.save();
    assert.deepEqual([...(await Book.findById(book._id)).tags], ['b', 'c']);
    assert.equal((await Book.findOneAndUpdate({ title: 'None' }, { $set: { tags: [] } }, { upsert: true, returnDocument: 'after' })).title, 'None');
    assert.deepEqual((await Author.collection.indexes()).map(index => index.name), ['_id_', 'name_1']);
    assert.equal(await Book.countDocuments({ author: ada._id }), 2);
    await mongoose.disconnect();
});

await test('agenda', async () => {
    const queue = new agenda.Agenda({ db: { address: address + 'app_agenda' }, processEvery: '100 milliseconds' });
    const done = [];
    queue.define('greet', async job => { done.push(job.attrs.data.name); });
    await queue.start();
    await queue.cancel({});
    await queue.now('greet', { name: 'Ada' });
    await once(queue, 'success:greet');
    await queue.schedule('in 1 second', 'greet', { name: 'Bob' });
    await once(queue, 'success:greet');
    assert.deepEqual(done, ['Ada', 'Bob']);
    assert.equal((await queue.jobs({ name: 'greet', lastFinishedAt: { $exists: true } })).length, 2);
    await queue.stop();
    await queue._mdb.client?.close?.();
    await queue.close?.({ force: true });
});

await test('connect-mongo', async () => {
    const app = express();
    const store = MongoStore.create({ mongoUrl: address + 'app_session' });
    app.use(session({ secret: 'x', resave: false, saveUninitialized: true, store }));
    app.get('/', (request, response) => {
        request.session.visits = (request.session.visits ?? 0) + 1;
        response.json(request.session.visits);
    });
    const server = app.listen(0);
    await once(server, 'listening');
    const url = `http://127.0.0.1:${server.address().port}/`;
    const one = await fetch(url);
    const cookie = one.headers.get('set-cookie').split(';')[0];
    assert.equal(await one.json(), 1);
    assert.equal(await (await fetch(url, { headers: { cookie } })).json(), 2);
    assert.equal(await new Promise((resolve, reject) => store.length((error, n) => error ? reject(error) : resolve(n))) > 0, true);
    server.close();
    await store.close();
});

await test('mongoose-paginate', async () => {
    await mongoose.connect(address + 'app_paginate');
    await mongoose.connection.dropDatabase();
    const Page = mongoose.model('Page', new mongoose.Schema({ n: Number, title: String }).plugin(paginate));
    await Page.insertMany(Array.from({ length: 95 }, (_, i) => ({ n: i, title: i % 2 ? 'Odd' : 'even' })));
    const page = await Page.paginate({ title: 'ODD' }, { page: 2, limit: 10, sort: { n: -1 }, collation: { locale: 'en', strength: 2 } });
    assert.deepEqual([page.totalDocs, page.totalPages, page.docs[0].n, page.hasNextPage], [47, 5, 73, true]);
    await mongoose.disconnect();
});

await test('rate-limiter-flexible', async () => {
    const client = await MongoClient.connect(address);
    await client.db('app_limit').dropDatabase();
    const limiter = new limiters.RateLimiterMongo({ storeClient: client, dbName: 'app_limit', points: 5, duration: 60, disableIndexesCreation: true });
    await limiter.createIndexes();
    // at once, so that upserts meet
    const all = await Promise.allSettled(Array.from({ length: 12 }, () => limiter.consume('ann')));
    assert.equal(all.filter(each => each.status === 'fulfilled').length, 5);
    assert.equal((await limiter.get('ann')).consumedPoints, 12);
    await limiter.delete('ann');
    assert.equal(await limiter.get('ann'), null);
    await client.close();
});

await test('migrate-mongo', async () => {
    const { database, config, up, down } = migrations.default ?? migrations;
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'migrations-'));
    fs.writeFileSync(path.join(folder, '1-pens.js'), `module.exports = {
        async up(db) { await db.collection('pen').insertMany([{ _id: 1 }, { _id: 2 }]); await db.collection('pen').updateMany({}, { $set: { ink: 'blue' } }); },
        async down(db) { await db.collection('pen').drop(); } };`);
    config.set({ mongodb: { url: address, databaseName: 'app_migrate', options: {} }, migrationsDir: folder, changelogCollectionName: 'changelog', lockCollectionName: 'lock',
        lockTtl: 60, migrationFileExtension: '.js', useFileHash: false, moduleSystem: 'commonjs' });
    const { db } = await database.connect();
    await db.dropDatabase();
    assert.deepEqual(await up(db), ['1-pens.js']);
    assert.equal(await db.collection('pen').countDocuments({ ink: 'blue' }), 2);
    await down(db);
    assert.deepEqual(await db.listCollections({ name: 'pen' }).toArray(), []);
    fs.rmSync(folder, { recursive: true });
});

await test('payload', async () => {
    const client = await MongoClient.connect(address);
    await client.db('app_payload').dropDatabase();
    await client.close();
    const payload = await getPayload({ config: buildConfig({ secret: 'x', telemetry: false, typescript: { autoGenerate: false }, db: mongooseAdapter({ url: address + 'app_payload' }),
        collections: [{ slug: 'users', auth: true, fields: [{ name: 'name', type: 'text' }] },
            { slug: 'posts', versions: { drafts: true }, fields: [{ name: 'title', type: 'text', required: true, unique: true }, { name: 'views', type: 'number' },
                { name: 'author', type: 'relationship', relationTo: 'users' }, { name: 'tags', type: 'array', fields: [{ name: 'tag', type: 'text' }] }, { name: 'place', type: 'point' }] }] }) });
    const collection = 'posts', posts = [];
    const author = (await payload.create({ collection: 'users', data: { email: 'ann@example.org', password: 'secret', name: 'Ann' } })).id;
    for (let i = 0; i < 12; i++)
        posts.push(await payload.create({ collection, data: { title: `Post ${i}`, views: i, author, tags: [{ tag: i % 2 ? 'odd' : 'even' }], place: [i, i], _status: 'published' } }));
    await assert.rejects(payload.create({ collection, data: { title: 'Post 3' } }), error => error.name === 'ValidationError');
    const page = await payload.find({ collection, limit: 5, page: 2, sort: '-views', depth: 1 });
    assert.deepEqual([page.docs.map(post => post.views), page.totalDocs, page.docs[0].author.name], [[6, 5, 4, 3, 2], 12, 'Ann']);
    assert.equal((await payload.find({ collection, where: { 'tags.tag': { equals: 'odd' }, views: { greater_than: 4 } } })).totalDocs, 4);
    assert.equal((await payload.find({ collection, where: { title: { like: 'post 1' } } })).totalDocs, 3);
    assert.equal((await payload.update({ collection, id: posts[0].id, data: { title: 'First', views: 100 } })).title, 'First');
    assert.equal((await payload.update({ collection, where: { views: { less_than: 3 } }, data: { views: 50 } })).docs.length, 2);
    const { docs: versions } = await payload.findVersions({ collection, where: { parent: { equals: posts[0].id } }, sort: 'createdAt' });
    await payload.restoreVersion({ collection, id: versions[0].id });
    assert.deepEqual([versions.length, (await payload.findByID({ collection, id: posts[0].id })).views], [2, 0]);
    await payload.delete({ collection, id: posts[1].id });
    await assert.rejects(payload.findByID({ collection, id: posts[1].id }), error => error.name === 'NotFound');
    assert.equal((await payload.delete({ collection, where: { views: { equals: 50 } } })).docs.length, 1);
    assert.equal((await payload.login({ collection: 'users', data: { email: 'ann@example.org', password: 'secret' } })).user.name, 'Ann');
    assert.equal((await payload.count({ collection })).totalDocs, 10);
    await payload.db.connection.dropDatabase();
    await payload.destroy?.();
});

process.exit(failed ? 1 : 0);
