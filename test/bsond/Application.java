// A program of MongoDB's Java driver.  The argument is the address of bsond.  Each line of the output is "ok NAME", or
// "not ok NAME" and why.
import static com.mongodb.client.model.Filters.*;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoWriteException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.gridfs.GridFSBuckets;
import com.mongodb.client.model.Accumulators;
import com.mongodb.client.model.Aggregates;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.DeleteOneModel;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.InsertOneModel;
import com.mongodb.client.model.ReturnDocument;
import com.mongodb.client.model.Sorts;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.model.Updates;
import com.mongodb.client.model.ValidationOptions;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Objects;
import org.bson.Document;
import org.bson.types.Decimal128;
import org.bson.types.ObjectId;

public class Application {
    public record Item(ObjectId id, String name, List<Integer> sizes, Date made) {}

    interface Body {
        void run() throws Exception;
    }

    static int failed = 0;

    static void test(String name, Body body) {
        try {
            body.run();
            System.out.println("ok java/" + name);
        } catch (Throwable error) {
            System.out.println("not ok java/" + name + ": " + error);
            failed++;
        }
    }

    static void same(Object found, Object wanted) {
        if (!Objects.equals(found, wanted)) throw new AssertionError(found + " is not " + wanted);
    }

    public static void main(String[] arguments) {
        try (MongoClient client = MongoClients.create(arguments[0])) {
            MongoDatabase db = client.getDatabase("app_java");
            db.drop();
            MongoCollection<Document> things = db.getCollection("thing");
            test("documents", () -> {
                List<Document> list = new ArrayList<>();
                for (int i = 0; i < 1000; i++) list.add(new Document("_id", i).append("n", i % 10).append("price", new Decimal128(i)));
                same(things.insertMany(list).getInsertedIds().size(), 1000);
                same(things.find(and(eq("n", 3), gte("_id", 500))).batchSize(7).into(new ArrayList<>()).size(), 50);
                same(things.find().sort(Sorts.descending("n", "_id")).skip(1).limit(1).first().get("_id"), 989);
                same(things.distinct("n", lt("n", 3), Integer.class).into(new ArrayList<>()), Arrays.asList(0, 1, 2));
                same(things.find(eq("_id", 7)).first().get("price"), new Decimal128(7));
                same(things.updateMany(eq("n", 1), Updates.inc("n", 100)).getModifiedCount(), 100L);
                same(things.deleteMany(eq("n", 2)).getDeletedCount(), 100L);
                same(things.countDocuments(), 900L);
            });
            test("aggregate", () -> same(things.aggregate(Arrays.asList(Aggregates.group("$n", Accumulators.sum("c", 1), Accumulators.max("m", "$_id")),
                Aggregates.sort(Sorts.ascending("_id")), Aggregates.limit(1))).first(), new Document("_id", 0).append("c", 100).append("m", 990)));
            test("bulk", () -> {
                try {
                    things.bulkWrite(Arrays.asList(new InsertOneModel<>(new Document("_id", "a")), new InsertOneModel<>(new Document("_id", "a")),
                        new UpdateOneModel<>(eq("_id", "b"), Updates.set("x", 1), new UpdateOptions().upsert(true)), new DeleteOneModel<>(eq("_id", "a"))),
                        new BulkWriteOptions().ordered(false));
                    throw new AssertionError("no error");
                } catch (MongoBulkWriteException error) {
                    same(error.getWriteErrors().size(), 1);
                    same(error.getWriteErrors().get(0).getIndex(), 1);
                    same(error.getWriteResult().getInsertedCount() + error.getWriteResult().getDeletedCount() + error.getWriteResult().getUpserts().size(), 3);
                }
            });
            test("indexes", () -> {
                same(things.createIndex(Indexes.compoundIndex(Indexes.ascending("u"), Indexes.descending("v")),
                    new IndexOptions().unique(true).partialFilterExpression(exists("u"))), "u_1_v_-1");
                things.insertOne(new Document("u", 1).append("v", 1));
                try {
                    things.insertOne(new Document("u", 1).append("v", 1));
                    throw new AssertionError("no error");
                } catch (MongoWriteException error) {
                    same(error.getCode(), 11000);
                }
                List<String> names = new ArrayList<>();
                for (Document index : things.listIndexes()) names.add(index.getString("name"));
                same(names, Arrays.asList("_id_", "u_1_v_-1"));
                things.dropIndex("u_1_v_-1");
            });
            test("find and modify", () -> {
                Document found = things.findOneAndUpdate(eq("_id", "counter"), Updates.inc("n", 5),
                    new FindOneAndUpdateOptions().upsert(true).returnDocument(ReturnDocument.AFTER));
                same(found, new Document("_id", "counter").append("n", 5));
                same(things.findOneAndDelete(eq("_id", "counter")), found);
            });
            test("validator", () -> {
                db.createCollection("person", new com.mongodb.client.model.CreateCollectionOptions().validationOptions(new ValidationOptions().validator(
                    Document.parse("{$jsonSchema: {required: ['name'], properties: {name: {bsonType: 'string'}}}}"))));
                db.getCollection("person").insertOne(new Document("name", "Ada"));
                try {
                    db.getCollection("person").insertOne(new Document("name", 5));
                    throw new AssertionError("no error");
                } catch (MongoWriteException error) {
                    same(error.getCode(), 121);
                }
            });
            test("transactions", () -> {
                try (var session = client.startSession()) {
                    session.withTransaction(() -> {
                        things.updateOne(session, eq("_id", 0), Updates.set("t", 1));
                        return things.deleteOne(session, eq("_id", 3));
                    });
                    session.startTransaction();
                    things.deleteMany(session, new Document());
                    session.abortTransaction();
                }
                same(things.find(eq("t", 1)).first().get("_id"), 0);
                same(things.countDocuments(eq("_id", 3)), 0L);
            });
            test("records", () -> {
                MongoCollection<Item> items = db.getCollection("item", Item.class);
                Item item = new Item(new ObjectId(), "pen", Arrays.asList(1, 2), new Date(5));
                items.insertOne(item);
                same(items.find(eq("sizes", 2)).first(), item);
            });
            test("gridfs", () -> {
                byte[] bytes = new byte[700_000];
                Arrays.fill(bytes, (byte) 7);
                var bucket = GridFSBuckets.create(db);
                ObjectId id = bucket.uploadFromStream("file", new ByteArrayInputStream(bytes));
                var out = new ByteArrayOutputStream();
                bucket.downloadToStream(id, out);
                same(Arrays.equals(out.toByteArray(), bytes), true);
            });
            db.drop();
        }
        System.exit(failed > 0 ? 1 : 0);
    }
}
