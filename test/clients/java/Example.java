// Documents of org.bson in a bson column, as BSON bytes in binary format.
import java.nio.ByteBuffer;
import java.sql.*;
import org.bson.*;
import org.bson.codecs.*;
import org.bson.io.BasicOutputBuffer;
import org.bson.types.*;
import org.postgresql.core.BaseConnection;
import org.postgresql.util.*;

public class Example {
    // Copy from here: a document that PostgreSQL knows as bson
    public static class PGbson extends PGobject implements PGBinaryObject {
        private static final Codec<Document> CODEC = new DocumentCodec();
        public Document document;
        private byte[] bytes;

        public PGbson() { type = "bson"; }

        public PGbson(Document document) {
            this();
            this.document = document;
            bytes = encode(document);
        }

        public static byte[] encode(Document document) {
            BasicOutputBuffer buffer = new BasicOutputBuffer();
            CODEC.encode(new BsonBinaryWriter(buffer), document, EncoderContext.builder().build());
            return buffer.toByteArray();
        }

        public static Document decode(byte[] bytes) {
            return CODEC.decode(new BsonBinaryReader(ByteBuffer.wrap(bytes)), DecoderContext.builder().build());
        }

        public void setByteValue(byte[] value, int offset) {
            bytes = java.util.Arrays.copyOfRange(value, offset, value.length);
            document = decode(bytes);
        }

        public int lengthInBytes() { return bytes.length; }

        public void toBytes(byte[] target, int offset) { System.arraycopy(bytes, 0, target, offset, bytes.length); }

        // pgjdbc asks for binary results only if prepareThreshold (5; -1: at once) says so
        @Override public void setValue(String text) throws SQLException {
            throw new SQLException("bson came as text: connect with prepareThreshold=-1");
        }

        public static void register(Connection connection) throws SQLException {
            BaseConnection base = connection.unwrap(BaseConnection.class);
            int oid = base.getTypeInfo().getPGType("bson");
            base.addDataType("bson", PGbson.class);
            base.getQueryExecutor().addBinarySendOid(oid);
            base.getQueryExecutor().addBinaryReceiveOid(oid);
        }
    }
    // to here

    public static void main(String[] args) throws Exception {
        Connection connection = DriverManager.getConnection(System.getenv("JDBC_URL"));
        PGbson.register(connection);
        connection.createStatement().execute("CREATE TEMP TABLE doc (id serial, data bson)");

        Document sent = new Document("_id", new ObjectId("5f2b1c3d4e5f60718293a4b5"))
            .append("int64", 15L).append("int32", 15).append("double", 15.0)
            .append("date", new java.util.Date(1646309594789L))
            .append("decimal", Decimal128.parse("1.10"))
            .append("binary", new Binary(new byte[] {0, 1, -1}))
            .append("nested", new Document("list", java.util.List.of(1, "zwei", new Document("drei", 3L))));
        PreparedStatement insert = connection.prepareStatement("INSERT INTO doc (data) VALUES (?)");
        insert.setObject(1, new PGbson(sent));
        insert.executeUpdate();

        ResultSet rows = connection.createStatement().executeQuery("SELECT data, bson_typeof(data -> 'int64') FROM doc");
        rows.next();
        Document fetched = ((PGbson) rows.getObject(1)).document;
        if (!fetched.equals(sent) || !rows.getString(2).equals("long"))
            throw new AssertionError(fetched);

        // without any of this, a bytea is a bson where it is inserted, and data::bytea is one where it is read
        insert.setBytes(1, PGbson.encode(sent));
        insert.executeUpdate();
        rows = connection.createStatement().executeQuery("SELECT data::bytea FROM doc ORDER BY id DESC LIMIT 1");
        rows.next();
        if (!PGbson.decode(rows.getBytes(1)).equals(sent))
            throw new AssertionError("bytea");

        // a string is a bson only by a cast
        PreparedStatement text = connection.prepareStatement("SELECT bson_typeof(?::text::bson)");
        text.setString(1, "{\"a\": 1}");
        rows = text.executeQuery();
        rows.next();
        if (!rows.getString(1).equals("object"))
            throw new AssertionError("text");
        try {
            insert.setString(1, "{\"a\": 1}");
            insert.executeUpdate();
            throw new AssertionError("setString");
        } catch (SQLException expected) {
            System.out.println(expected.getMessage());
        }
        System.out.println("ok java");
    }
}
