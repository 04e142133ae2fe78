package pgbson;

import static org.junit.jupiter.api.Assertions.*;
import static pgbson.Common.*;

import jakarta.persistence.*;
import java.sql.*;
import java.util.Map;
import org.hibernate.SessionFactory;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.cfg.Configuration;
import org.hibernate.type.SqlTypes;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.JSONB;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.junit.jupiter.api.Test;
import org.postgresql.util.PGobject;

/** Applications written for jsonb on a bson column: read, change, write back. */
class JsonbTest {
    static final String STORED = "{\"n\": 1, \"_id\": {\"$oid\": \"5f2b1c3d4e5f60718293a4b5\"}, \"double\": 15.0}";

    @Entity(name = "JsonbDoc") @Table(name = "jsonb_doc")
    public static class Doc {
        @Id public int id;
        @JdbcTypeCode(SqlTypes.JSON) public Map<String, Object> data;
    }

    static void create(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("DROP TABLE IF EXISTS jsonb_doc");
            statement.execute("CREATE TABLE jsonb_doc (id int PRIMARY KEY, data bson CONSTRAINT is_document CHECK (bson_typeof(data) = 'object'))");
            statement.execute("INSERT INTO jsonb_doc VALUES (1, '" + STORED + "')");
        }
    }

    static String kinds(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
             ResultSet rows = statement.executeQuery("SELECT concat_ws(' ', data -> 'n', bson_typeof(data -> '_id'), bson_typeof(data -> 'double')) FROM jsonb_doc")) {
            rows.next();
            return rows.getString(1);
        }
    }

    /** A PGobject has the text of a bson as it has that of a jsonb; nothing is to be registered. */
    @Test void jdbc() throws SQLException {
        try (Connection connection = DriverManager.getConnection(URL)) {
            create(connection);
            try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery("SELECT data FROM jsonb_doc")) {
                rows.next();
                assertEquals(STORED, rows.getString(1));
                PGobject data = (PGobject) rows.getObject(1);
                data.setType("jsonb");
                data.setValue(data.getValue().replace("1,", "2,"));
                try (PreparedStatement update = connection.prepareStatement("UPDATE jsonb_doc SET data = ?")) {
                    update.setObject(1, data);
                    update.executeUpdate();
                }
            }
            assertEquals("2 objectId double", kinds(connection));
        }
    }

    @Test void jooq() throws SQLException {
        try (Connection connection = DriverManager.getConnection(URL)) {
            create(connection);
            DSLContext dsl = DSL.using(connection, SQLDialect.POSTGRES);
            Field<JSONB> data = DSL.field("data", SQLDataType.JSONB);
            String text = dsl.select(data).from("jsonb_doc").fetchOne(data).data();
            assertEquals(STORED, text);
            dsl.update(DSL.table("jsonb_doc")).set(data, JSONB.valueOf(text.replace("1,", "2,"))).execute();
            assertEquals("2 objectId double", kinds(connection));
            // for its generator the column is an Object, unless it is told
            assertEquals(Object.class, dsl.meta().getTables("jsonb_doc").get(0).field("data").getType());
        }
    }

    static SessionFactory factory(String schema) {
        return new Configuration().addAnnotatedClass(Doc.class).setProperty("hibernate.connection.url", URL)
            .setProperty("hibernate.connection.pool_size", "1").setProperty("hibernate.hbm2ddl.auto", schema).buildSessionFactory();
    }

    @Test void hibernate() throws SQLException {
        try (Connection connection = DriverManager.getConnection(URL)) {
            create(connection);
            try (SessionFactory factory = factory("update")) {
                factory.inTransaction(session -> session.find(Doc.class, 1).data.put("n", 2));
            }
            assertEquals("2 objectId double", kinds(connection));
            // the schema diff leaves the column as it is, and "validate" takes it
            factory("validate").close();
            assertEquals("2 objectId double", kinds(connection));
        }
    }
}
