import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.bson.Document;
import org.bson.types.Decimal128;
import org.bson.types.ObjectId;
import pgbson.PGbson;

/** Orders in a bson column, by pgjdbc, in the database that the environment's JDBC_URL names. */
public class Orders {
    private final Connection connection;

    private Orders(Connection connection) { this.connection = connection; }

    private static Document order(String name, String city, int day, String total, Object... items) {
        List<Document> list = new ArrayList<>();
        for (int i = 0; i < items.length; i += 2)
            list.add(new Document("sku", items[i]).append("quantity", items[i + 1]));
        return new Document("_id", new ObjectId()).append("customer", new Document("name", name).append("city", city))
            .append("placed", Instant.parse("2024-03-0" + day + "T12:13:14Z")).append("total", Decimal128.parse(total)).append("items", list);
    }

    private PreparedStatement prepare(String text, Object... values) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(text);
        for (int i = 0; i < values.length; i++)
            statement.setObject(i + 1, new PGbson(values[i]));
        return statement;
    }

    private void run() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE EXTENSION IF NOT EXISTS bson");
            statement.execute("CREATE TEMP TABLE orders (id serial PRIMARY KEY, data bson NOT NULL)");
            statement.execute("CREATE INDEX ON orders USING gin (data)");
        }
        PGbson.register(connection);
        Document ada = order("Ada", "Oslo", 3, "24.50", "A-1", 2);
        for (Document each : List.of(ada, order("Grace", "Bergen", 4, "12.00", "B-7", 1), order("Linus", "Oslo", 5, "99.90", "A-1", 1, "C-2", 5)))
            prepare("INSERT INTO orders (data) VALUES (?)", each).executeUpdate();

        // a query of MongoDB, and containment
        ResultSet rows = prepare("SELECT data FROM orders WHERE data @~ ? ORDER BY id", new Document("customer.city", "Oslo").append("total", new Document("$gt", 20))).executeQuery();
        while (rows.next()) {
            Document found = PGbson.document(rows, 1);
            System.out.println(found.get("customer", Document.class).getString("name") + ": " + found.get("total"));
        }
        rows = prepare("SELECT count(*) FROM orders WHERE data @> ?", new Document("items", List.of(new Document("sku", "A-1")))).executeQuery();
        rows.next();
        System.out.println("orders with A-1: " + rows.getLong(1));

        // one field is changed by the server, and values are read as SQL's
        prepare("UPDATE orders SET data['shipped'] = ? WHERE data -> '_id' = ?", Instant.now(), ada.get("_id")).executeUpdate();
        rows = prepare("SELECT data #>> '{customer,city}', sum(bson_get_numeric(data, 'total')) FROM orders GROUP BY 1 ORDER BY 1").executeQuery();
        while (rows.next())
            System.out.println(rows.getString(1) + ": " + rows.getBigDecimal(2));
        rows = prepare("SELECT string_agg(concat_ws(' ', key, bson_typeof(value)), ', ') FROM orders, bson_each(data) WHERE id = 1").executeQuery();
        rows.next();
        System.out.println(rows.getString(1));
    }

    public static void main(String[] arguments) throws SQLException {
        try (Connection connection = DriverManager.getConnection(System.getenv("JDBC_URL"))) {
            new Orders(connection).run();
        }
    }
}
