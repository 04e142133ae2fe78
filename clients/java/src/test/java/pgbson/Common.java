package pgbson;

import java.util.List;
import org.bson.Document;
import org.bson.types.*;

/** What the tests share: a document with the types that JSON lacks. */
class Common {
    static final String URL = System.getenv("JDBC_URL");
    static final Document SENT = new Document("_id", new ObjectId("5f2b1c3d4e5f60718293a4b5"))
        .append("int64", 15L).append("large", 4968387550L).append("int32", 15).append("double", 15.0)
        .append("date", new java.util.Date(1646309594789L)).append("decimal", Decimal128.parse("1.10"))
        .append("binary", new Binary(new byte[] {0, 1, -1})).append("none", null)
        .append("nested", new Document("list", List.of(1, "zwei", new Document("drei", 3L))));
}
