package pgbson;

import static org.junit.jupiter.api.Assertions.*;
import static pgbson.Common.*;

import io.r2dbc.postgresql.*;
import io.r2dbc.postgresql.api.PostgresqlConnection;
import io.r2dbc.postgresql.codec.Json;
import java.nio.ByteBuffer;
import java.util.*;
import org.bson.Document;
import org.bson.json.*;
import org.junit.jupiter.api.Test;

/** R2DBC, for which the module has nothing of its own: texts and bytes. */
class R2dbcTest {
    static class Client implements AutoCloseable {
        private final PostgresqlConnection connection;

        Client() {
            Map<String, String> at = System.getenv();
            var builder = PostgresqlConnectionConfiguration.builder().username(at.get("PGUSER")).database(at.get("PGDATABASE"));
            String host = at.get("PGHOST");
            if (host.startsWith("/"))
                builder.socket(host + "/.s.PGSQL." + at.get("PGPORT"));
            else
                builder.host(host).port(Integer.parseInt(at.get("PGPORT")));
            connection = new PostgresqlConnectionFactory(builder.build()).create().block();
        }

        @Override public void close() {
            connection.close().block();
        }

        <T> T fetch(Class<T> type, String sql, Object... parameters) {
            var statement = connection.createStatement(sql);
            for (int i = 0; i < parameters.length; i++)
                statement.bind(i, parameters[i]);
            return statement.execute().flatMap(result -> result.map((row, metadata) -> row.get(0, type))).blockFirst();
        }

        /** A document in each way, with the SQL that it needs. */
        void insertAll(String sql, Document document) {
            String json = document.toJson(JsonWriterSettings.builder().outputMode(JsonMode.EXTENDED).build());
            fetch(String.class, sql.replace("?", "$2"), "R2DBC, `Json`", Json.of(json));
            fetch(String.class, sql.replace("?", "$2"), "R2DBC, a `byte[]`", PGbson.encode(document));
            fetch(String.class, sql.replace("?", "$2"), "R2DBC, a `ByteBuffer`", ByteBuffer.wrap(PGbson.encode(document)));
            fetch(String.class, sql.replace("?", "$2::text::bson"), "R2DBC, a string, cast", json);
        }
    }

    @Test void r2dbc() {
        try (Client client = new Client()) {
            client.fetch(String.class, "CREATE TEMP TABLE doc (way text, data bson)");
            client.insertAll("INSERT INTO doc VALUES ($1, ?)", SENT);
            for (String way : List.of("`Json`", "a `byte[]`", "a `ByteBuffer`", "a string, cast")) {
                assertEquals(SENT, PGbson.parse(client.fetch(String.class, "SELECT data FROM doc WHERE way = $1", "R2DBC, " + way)));
                // a `Json` is a jsonb, whose fields have an order of its own
                if (!way.equals("`Json`"))
                    assertArrayEquals(PGbson.encode(SENT), client.fetch(byte[].class, "SELECT data::bytea FROM doc WHERE way = $1", "R2DBC, " + way));
            }
            byte[] part = PGbson.encode(new Document("int64", 15L));
            assertEquals(4L, client.fetch(Long.class, "SELECT count(*) FROM doc WHERE data @> $1::bytea::bson", part));
            assertEquals(4L, client.fetch(Long.class, "SELECT count(*) FROM doc WHERE data @> $1", Json.of("{\"int64\": 15}")));
        }
    }
}
