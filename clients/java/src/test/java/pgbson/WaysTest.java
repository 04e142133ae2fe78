package pgbson;

import static pgbson.Common.*;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Table;
import java.io.StringReader;
import java.sql.*;
import java.util.*;
import org.bson.*;
import org.bson.types.*;
import org.hibernate.SessionFactory;
import org.hibernate.annotations.Type;
import org.hibernate.cfg.Configuration;
import org.junit.jupiter.api.*;
import org.postgresql.PGConnection;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations;

/** Write a document of every type in each way that doc/drivers.md has, for test/clients/conformance. */
class WaysTest {
    private static final String INSERT = "INSERT INTO conformance_way (way, data) VALUES (?, ?)";

    static Document every() {
        Decimal128 decimal = Decimal128.parse("1.10");
        java.util.Date date = new java.util.Date(1646309594789L);
        ObjectId id = new ObjectId("5f2b1c3d4e5f60718293a4b5");
        return new Document("string", "it's \\ \" é").append("string of digits", "15").append("string of JSON", "{\"a\": 1}").append("int", 15)
            .append("long within 32 bits", 15L).append("long", 9007199254740993L).append("double", 1.5).append("whole double", 15.0).append("decimal", decimal)
            .append("bool", true).append("null", null).append("objectId", id).append("date", date).append("binData", new Binary(new byte[] {0, 1, -1}))
            .append("UUID", UUID.fromString("00112233-4455-6677-8899-aabbccddeeff")).append("regex", new BsonRegularExpression("^a", "i"))
            .append("timestamp", new BsonTimestamp(1, 7)).append("code", new Code("x()")).append("minKey", new MinKey())
            .append("document", new Document("_id", 1).append("a", new Document("date", date)))
            .append("array", Arrays.asList(1, Arrays.asList(3L, new Document("a", decimal)))).append("document of another class", new TreeMap<>(Map.of("b", 1L))).append("_id", id);
    }

    @Entity(name = "Way") @Table(name = "conformance_way")
    public static class Way {
        @jakarta.persistence.Id public String way;
        @Type(BsonType.class) @Column(columnDefinition = "bson") public Document data;
        public Way() { }
        public Way(String way, Document data) { this.way = way; this.data = data; }
    }

    private static void insert(Connection connection, String way, Object value) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
            insert.setString(1, way);
            insert.setObject(2, value);
            insert.executeUpdate();
        }
    }

    private static void use(Connection connection, String name) throws Exception {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("a `Document`", every());
        values.put("a `LinkedHashMap`", new LinkedHashMap<>(every()));
        values.put("an unmodifiable `Map`", Collections.unmodifiableMap(every()));
        values.put("a `RawBsonDocument`", new RawBsonDocument(PGbson.encode(every())));
        values.put("a `BsonDocument`", new RawBsonDocument(PGbson.encode(every())).asDocument());
        for (Map.Entry<String, Object> each : values.entrySet())
            insert(connection, name + each.getKey(), new PGbson(each.getValue()));
        try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
            insert.setString(1, name + "`addBatch`");
            insert.setObject(2, new PGbson(every()), Types.OTHER);
            insert.addBatch();
            insert.executeBatch();
        }
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO conformance_way (way, data) SELECT ?, unnest(?)")) {
            insert.setString(1, name + "a `bson[]`");
            insert.setArray(2, PGbson.array(connection, List.of(every())));
            insert.executeUpdate();
        }
        String line = name + "`COPY`\t" + new PGbson(every()).getValue().replace("\\", "\\\\") + "\n";
        connection.unwrap(PGConnection.class).getCopyAPI().copyIn("COPY conformance_way (way, data) FROM STDIN", new StringReader(line));
        try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
            insert.setString(1, name + "bytes");
            insert.setBytes(2, PGbson.encode(every()));
            insert.executeUpdate();
        }
    }

    @Test void ways() throws Exception {
        try (Connection connection = DriverManager.getConnection(URL); Statement statement = connection.createStatement()) {
            try (ResultSet rows = statement.executeQuery("SELECT to_regclass('conformance_way') IS NOT NULL")) {
                rows.next();
                Assumptions.assumeTrue(rows.getBoolean(1));
            }
            statement.execute("DELETE FROM conformance_way WHERE language = 'Java' OR language IS NULL AND way <> ''");
            use(connection, "pgjdbc, ");
            PGbson.register(connection);
            use(connection, "pgjdbc, registered, ");

            try (SessionFactory factory = new Configuration().addAnnotatedClass(Way.class).setProperty("hibernate.connection.url", URL)
                    .setProperty("hibernate.connection.pool_size", "1").buildSessionFactory()) {
                factory.inTransaction(session -> { session.persist(new Way("Hibernate, `persist`", every())); session.persist(new Way("Hibernate, a changed field", null)); });
                factory.inTransaction(session -> { session.find(Way.class, "Hibernate, a changed field").data = every(); session.merge(new Way("Hibernate, `merge`", every())); });
                factory.inTransaction(session -> session.persist(new Way("Hibernate, HQL", null)));
                factory.inTransaction(session -> session.createMutationQuery("update Way set data = :data where way = 'Hibernate, HQL'").setParameter("data", every()).executeUpdate());
            }
            try (var context = new AnnotationConfigApplicationContext(SpringTest.Config.class)) {
                var operations = context.getBean(NamedParameterJdbcOperations.class);
                operations.getJdbcOperations().update(INSERT, "Spring, `JdbcTemplate`", new PGbson(every()));
                operations.update("INSERT INTO conformance_way (way, data) VALUES (:way, :data)", Map.of("way", "Spring, `NamedParameterJdbcTemplate`", "data", new PGbson(every())));
                operations.getJdbcOperations().execute("CREATE TEMP TABLE spring_doc (id serial PRIMARY KEY, data bson)");
                var docs = context.getBean(SpringTest.Docs.class);
                docs.save(new SpringTest.Doc(null, new PGbson(every())));
                operations.getJdbcOperations().execute("INSERT INTO conformance_way (way, data) SELECT 'Spring Data, `save`', data FROM spring_doc");
            }
            try (var r2dbc = new R2dbcTest.Client()) {
                r2dbc.insertAll("INSERT INTO conformance_way (way, data) VALUES ($1, ?)", every());
            }
            statement.execute("UPDATE conformance_way SET language = 'Java' WHERE language IS NULL AND way <> ''");
        }
    }
}
