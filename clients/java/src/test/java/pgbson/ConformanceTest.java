package pgbson;

import static pgbson.Common.*;

import java.sql.*;
import java.util.*;
import org.junit.jupiter.api.*;
import org.postgresql.PGConnection;
import org.postgresql.util.PGobject;

/** Read and write back what test/clients/conformance.sql lists, where there is that table. */
class ConformanceTest {
    private static Object value(Object fetched) {
        return fetched instanceof PGbson bson ? bson.value() : PGbson.parse(((PGobject) fetched).getValue());
    }

    private static void use(String client, Connection connection) throws Exception {
        List<Integer> ids = new ArrayList<>();
        try (ResultSet rows = connection.createStatement().executeQuery("SELECT id FROM conformance WHERE id < 1000 ORDER BY id")) {
            while (rows.next())
                ids.add(rows.getInt(1));
        }
        try (PreparedStatement read = connection.prepareStatement("SELECT data FROM conformance WHERE id = ?");
             PreparedStatement write = connection.prepareStatement("INSERT INTO conformance_result (client, id, data, error) VALUES (?, ?, ?, ?)")) {
            write.setString(1, client);
            for (int id : ids) {
                write.setInt(2, id);
                write.setString(4, null);
                read.setInt(1, id);
                try (ResultSet rows = read.executeQuery()) {
                    rows.next();
                    Object fetched = rows.getObject(1);
                    Object value = fetched == null ? null : value(fetched);
                    write.setObject(3, fetched == null ? null : value == null ? PGbson.ofNull() : new PGbson(value));
                    write.executeUpdate();
                } catch (Exception error) {
                    write.setObject(3, null);
                    write.setString(4, error.toString());
                    write.executeUpdate();
                }
            }
        }
        try (ResultSet rows = connection.createStatement().executeQuery("SELECT list FROM conformance WHERE id = 1000");
             PreparedStatement write = connection.prepareStatement("INSERT INTO conformance_result (client, id, list) VALUES (?, 1000, ?)")) {
            rows.next();
            List<Object> list = new ArrayList<>();
            for (Object each : (Object[]) rows.getArray(1).getArray())
                list.add(each == null ? null : each instanceof PGbson bson ? bson.value() : PGbson.parse(each.toString()));
            write.setString(1, client);
            write.setArray(2, PGbson.array(connection, list));
            write.executeUpdate();
        }
        try (ResultSet rows = connection.createStatement().executeQuery("SELECT data FROM conformance WHERE id = 1001")) {
            rows.next();
            String line = client + "\t1001\t" + new PGbson(value(rows.getObject(1))).getValue().replace("\\", "\\\\") + "\n";
            connection.unwrap(PGConnection.class).getCopyAPI().copyIn("COPY conformance_result (client, id, data) FROM STDIN", new java.io.StringReader(line));
        }
    }

    @Test void conformance() throws Exception {
        try (Connection connection = DriverManager.getConnection(URL)) {
            try (ResultSet rows = connection.createStatement().executeQuery("SELECT to_regclass('conformance') IS NOT NULL")) {
                rows.next();
                Assumptions.assumeTrue(rows.getBoolean(1));
            }
            connection.createStatement().execute("DELETE FROM conformance_result WHERE client ~ '^pgjdbc'");
            use("pgjdbc, text", connection);
            PGbson.register(connection);
            use("pgjdbc", connection);
        }
    }
}
