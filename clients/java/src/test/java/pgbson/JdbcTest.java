package pgbson;

import static org.junit.jupiter.api.Assertions.*;
import static pgbson.Common.*;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.math.BigDecimal;
import java.sql.*;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.Document;
import org.bson.RawBsonDocument;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.*;
import org.postgresql.core.BaseConnection;

class JdbcTest {
    private Connection connection;

    @BeforeEach void connect() throws SQLException {
        connection = DriverManager.getConnection(URL);
        connection.createStatement().execute("CREATE TEMP TABLE doc (id serial, data bson)");
    }

    @AfterEach void close() throws SQLException { connection.close(); }

    private PreparedStatement insert() throws SQLException { return connection.prepareStatement("INSERT INTO doc (data) VALUES (?)"); }

    private Object only(String query, Object... parameters) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(query);
        for (int i = 0; i < parameters.length; i++)
            statement.setObject(i + 1, parameters[i]);
        ResultSet rows = statement.executeQuery();
        assertTrue(rows.next());
        return rows.getObject(1);
    }

    @Test void binary() throws SQLException {
        PGbson.register(connection);
        Document sent = SENT;
        PreparedStatement insert = insert();
        insert.setObject(1, new PGbson(sent));
        insert.executeUpdate();
        ResultSet rows = connection.createStatement().executeQuery("SELECT data, bson_typeof(data -> 'int64') FROM doc");
        rows.next();
        Document fetched = ((PGbson) rows.getObject(1)).document();
        assertEquals(sent, fetched);
        assertEquals("long", rows.getString(2));
        assertEquals(15L, ((PGbson) only("SELECT data -> 'int64' FROM doc WHERE data @~ ? AND data ?? 'int32' AND data -> 'int32' > ?", new PGbson(Document.parse("{int64: {$gt: 14}}")), new PGbson(14))).value());
        for (Object value : List.of(1, List.of(1, "zwei"), new Document("", 1), "text"))
            assertEquals(value, ((PGbson) only("SELECT ?::bson", new PGbson(value))).value());
    }

    /** What is encoded as a document is stored as one, whatever its class. */
    @Test void documents() throws SQLException {
        Document document = new Document("a", 1);
        for (boolean registered : new boolean[] {false, true}) {
            if (registered)
                PGbson.register(connection);
            for (Object value : List.of(document, Map.of("a", 1), new TreeMap<>(document), Collections.unmodifiableMap(document), new BsonDocument("a", new BsonInt32(1)),
                                        RawBsonDocument.parse("{\"a\": 1}"))) {
                assertEquals("object 1", only("SELECT concat_ws(' ', bson_typeof(d), d -> 'a') FROM CAST(? AS bson) d", new PGbson(value)), value.getClass().getName());
                assertArrayEquals(PGbson.encode(document), PGbson.encode(value));
            }
            assertEquals("array", only("SELECT bson_typeof(?)", new PGbson(new BsonArray(List.of(new BsonInt32(1))))));
        }
    }

    @Test void text() throws SQLException {
        PreparedStatement insert = insert();
        insert.setObject(1, new PGbson(SENT));
        insert.executeUpdate();
        assertEquals(SENT, PGbson.parse(only("SELECT data FROM doc").toString()));
        assertEquals(List.of(1, 2L), PGbson.parse(only("SELECT '[1, {\"$numberLong\": \"2\"}]'::bson").toString()));
    }

    @Test void uuid() throws SQLException {
        UUID uuid = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");
        for (boolean registered : new boolean[] {false, true}) {
            if (registered)
                PGbson.register(connection);
            assertEquals("00112233-4455-6677-8899-aabbccddeeff|binData", only("SELECT bson_get_uuid(d, 'u') || '|' || bson_typeof(d -> 'u') FROM CAST(? AS bson) d", new PGbson(new Document("u", uuid))));
            Object fetched = only("SELECT bson_build_object('u', ?::uuid)", uuid);
            assertEquals(new Document("u", uuid), fetched instanceof PGbson bson ? bson.document() : PGbson.parse(fetched.toString()));
        }
        assertEquals(java.time.Instant.ofEpochMilli(5).toEpochMilli(), ((Document) PGbson.decode(PGbson.encode(new Document("t", java.time.Instant.ofEpochMilli(5))))).getDate("t").getTime());
    }

    @Test void arrays() throws SQLException {
        PGbson.register(connection);
        PreparedStatement select = connection.prepareStatement("SELECT ?::bson[]");
        for (Array sent : List.of(PGbson.array(connection, Arrays.asList(SENT, null, List.of(1, 2))),
                                  connection.createArrayOf("bson", new Object[] {new PGbson(SENT), null, new PGbson(List.of(1, 2))}))) {
            select.setArray(1, sent);
            ResultSet rows = select.executeQuery();
            rows.next();
            Object[] fetched = (Object[]) rows.getArray(1).getArray();
            assertEquals(SENT, ((PGbson) fetched[0]).document());
            assertNull(fetched[1]);
            assertEquals(List.of(1, 2), ((PGbson) fetched[2]).value());
        }
        Object[] gathered = (Object[]) ((Array) only("SELECT array_agg(d) FROM (VALUES ('{\"a\": 1}'::bson), (NULL)) v (d)")).getArray();
        assertEquals(new Document("a", 1), ((PGbson) gathered[0]).document());
        assertNull(gathered[1]);
    }

    /** NULL, BSON's null, and what is told who passes a document itself. */
    @Test void others() throws SQLException {
        PGbson.register(connection);
        assertNull(only("SELECT ?::bson", (Object) null));
        assertNull(only("SELECT ?::bson", new PGbson()));
        assertEquals("null", only("SELECT bson_typeof(?)", PGbson.ofNull()));
        assertNull(((PGbson) only("SELECT 'null'::bson")).value());
        assertTrue(assertThrows(SQLException.class, () -> only("SELECT ?::bson", SENT)).getMessage().contains("No hstore extension"));
        assertEquals("22P02", assertThrows(SQLException.class, () -> only("SELECT '{'::bson")).getSQLState());
    }

    private static final String KINDS = "{\"a\": 1, \"b\": {\"$numberLong\": \"15\"}, \"c\": 5000000000, \"d\": 15.0, \"e\": {\"$numberDecimal\": \"1.10\"}, \"f\": {\"$oid\": \"5f2b1c3d4e5f60718293a4b5\"}, \"g\": {\"$date\": \"2022-03-03T12:13:14.789Z\"}, \"h\": [null, true, \"x\"]}";

    /** getString and toString are the same JSON with and without register, and getObject takes the class. */
    @Test void readable() throws SQLException {
        for (boolean registered : new boolean[] {false, true}) {
            if (registered)
                PGbson.register(connection);
            for (String text : List.of(KINDS, "15", "\"zwei\"", "[1, 2.5]", "null", "{}"))
                try (PreparedStatement select = connection.prepareStatement("SELECT d, d::text FROM CAST(? AS bson) d")) {
                    select.setObject(1, text, Types.OTHER);
                    ResultSet rows = select.executeQuery();
                    rows.next();
                    assertEquals(rows.getString(2), rows.getString(1));
                    PGbson value = rows.getObject(1, PGbson.class);
                    assertEquals(rows.getString(2), value.toString());
                    assertEquals(value.document(), PGbson.document(rows, 1));
                    assertEquals(value.value() == null ? PGbson.ofNull() : new PGbson(value.value()), value);
                    assertEquals(rows.getString(2), only("SELECT (?::bson)::text", value));
                }
            ResultSet none = connection.createStatement().executeQuery("SELECT NULL::bson");
            none.next();
            assertNull(none.getString(1));
            assertNull(PGbson.document(none, 1));
        }
        // an object with the keys of Extended JSON would be read back as something else
        assertTrue(new PGbson(new Document("v", new Document("$oid", "5f2b1c3d4e5f60718293a4b5"))).toString().startsWith("\\x"));
        assertEquals("{\"v\": {\"$numberDouble\": \"NaN\"}}", new PGbson(new Document("v", Double.NaN)).toString());
    }

    /** One type for what JSON and what SQL wrote. */
    @Test void prices() throws SQLException {
        String prices = "SELECT bson_build_object('sql', 12.50::numeric, 'long', 15::int8) || '{\"json\": 12.5, \"int\": 15, \"list\": [{\"a\": 1.5}]}'";
        try {
            for (boolean registered : new boolean[] {false, true}) {
                if (registered)
                    PGbson.register(connection);
                PGbson.useNumbers(Numbers.NATIVE);
                Document document = ((PGbson) only(prices)).document();
                assertEquals(25.0, document.getDouble("sql") + document.getDouble("json"));
                assertEquals(List.of(15, 15L), List.of(document.get("int"), document.get("long")));
                PGbson.useNumbers(Numbers.DECIMAL);
                document = ((PGbson) only(prices)).document();
                StringBuilder digits = new StringBuilder();
                for (String key : List.of("sql", "json", "int", "long"))
                    digits.append(document.get(key, BigDecimal.class)).append(' ');
                assertEquals("12.50 12.5 15 15 ", digits.toString());
                assertEquals(List.of(new Document("a", new BigDecimal("1.5"))), document.get("list"));
                assertEquals("decimal", only("SELECT bson_typeof(? -> 'json')", new PGbson(document)));
                PGbson.useNumbers(Numbers.STORED);
                document = ((PGbson) only(prices)).document();
                for (String key : List.of("sql", "json"))
                    assertEquals(12.5, ((Number) document.get(key)).doubleValue());
            }
        } finally {
            PGbson.useNumbers(Numbers.STORED);
        }
    }

    @Test void jackson() throws Exception {
        ObjectMapper mapper = new ObjectMapper().registerModule(new BsonModule());
        PGbson value = new PGbson(new Document("_id", new ObjectId("5f2b1c3d4e5f60718293a4b5")).append("price", new BigDecimal("1.10")).append("n", 15L).append("list", List.of(1, "x")).append("binary", new byte[] {1}));
        String json = "{\"_id\":\"5f2b1c3d4e5f60718293a4b5\",\"price\":1.10,\"n\":15,\"list\":[1,\"x\"],\"binary\":\"AQ==\"}";
        assertEquals("{\"data\":" + json + "}", mapper.writeValueAsString(java.util.Map.of("data", value)));
        assertEquals(json, mapper.writeValueAsString(value.document()));
        assertEquals(new PGbson(Document.parse(KINDS)), mapper.readValue(KINDS, PGbson.class));
    }

    /** What register does, by properties of the connection, for pools that have no place for it. */
    @Test void properties() throws SQLException {
        String oid = only("SELECT 'bson'::regtype::oid").toString();
        try (Connection told = DriverManager.getConnection(URL + "&binaryTransferEnable=" + oid);
             PreparedStatement select = told.prepareStatement("SELECT ?::bson")) {
            select.setObject(1, new PGbson(SENT));
            ResultSet rows = select.executeQuery();
            rows.next();
            assertEquals(SENT, ((PGbson) rows.getObject(1)).document());
            assertTrue(told.unwrap(BaseConnection.class).getQueryExecutor().useBinaryForReceive(Integer.parseInt(oid)));
        }
    }

    @Test void without() throws SQLException {
        Document sent = SENT;
        PreparedStatement insert = insert();
        insert.setBytes(1, PGbson.encode(sent));
        insert.executeUpdate();
        ResultSet rows;
        rows = connection.createStatement().executeQuery("SELECT data::bytea FROM doc ORDER BY id DESC LIMIT 1");
        rows.next();
        assertEquals(sent, PGbson.decode(rows.getBytes(1)));
        // a string is a bson by a cast, or if it is sent without a type
        assertEquals("object", only("SELECT bson_typeof(?::text::bson)", "{\"a\": 1}"));
        insert.setObject(1, sent.toJson(JsonWriterSettings.builder().outputMode(JsonMode.EXTENDED).build()), Types.OTHER);
        insert.executeUpdate();
        assertEquals(sent, PGbson.parse(only("SELECT data FROM doc ORDER BY id DESC LIMIT 1").toString()));
        insert.setString(1, "{\"a\": 1}");
        assertTrue(assertThrows(SQLException.class, insert::executeUpdate).getMessage().contains("is of type bson but expression is of type character varying"));
    }
}
