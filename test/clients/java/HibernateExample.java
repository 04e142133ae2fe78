// A bson column in Hibernate: documents go and come as the type's text, which loses nothing.
import jakarta.persistence.*;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.sql.*;
import java.util.HexFormat;
import org.bson.*;
import org.bson.types.*;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.annotations.Type;
import org.hibernate.cfg.Configuration;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.usertype.UserType;
import org.postgresql.util.PGobject;

public class HibernateExample {
    // Copy from here
    public static class BsonType implements UserType<Document> {
        public int getSqlType() { return Types.OTHER; }
        public Class<Document> returnedClass() { return Document.class; }
        public boolean equals(Document a, Document b) { return java.util.Objects.equals(a, b); }
        public int hashCode(Document document) { return document.hashCode(); }

        // a text that begins with \x holds the bytes
        public static PGobject toSql(Document document) throws SQLException {
            PGobject object = new PGobject();
            object.setType("bson");
            object.setValue("\\x" + HexFormat.of().formatHex(Example.PGbson.encode(document)));
            return object;
        }

        public static Document fromSql(String text) {
            return text.startsWith("\\x") ? Example.PGbson.decode(HexFormat.of().parseHex(text.substring(2))) : Document.parse(text);
        }

        public Document nullSafeGet(ResultSet rows, int position, SharedSessionContractImplementor session, Object owner) throws SQLException {
            String text = rows.getString(position);
            return text == null ? null : fromSql(text);
        }

        public void nullSafeSet(PreparedStatement statement, Document document, int index, SharedSessionContractImplementor session) throws SQLException {
            if (document == null)
                statement.setNull(index, Types.OTHER, "bson");
            else
                statement.setObject(index, toSql(document));
        }

        public Document deepCopy(Document document) { return document == null ? null : Example.PGbson.decode(Example.PGbson.encode(document)); }
        public boolean isMutable() { return true; }
        public Serializable disassemble(Document document) { return document == null ? null : Example.PGbson.encode(document); }
        public Document assemble(Serializable cached, Object owner) { return cached == null ? null : Example.PGbson.decode((byte[]) cached); }
    }
    // to here

    @Entity(name = "Doc") @Table(name = "hibernate_doc")
    public static class Doc {
        @Id @GeneratedValue(strategy = GenerationType.IDENTITY) public Long id;
        @Type(BsonType.class) @Column(columnDefinition = "bson") public Document data;
        public Doc() { }
        public Doc(Document data) { this.data = data; }
    }

    public static void main(String[] args) {
        // as text results: prepareThreshold=-1 is for Example
        String url = System.getenv("JDBC_URL").replace("prepareThreshold=-1", "prepareThreshold=5");
        SessionFactory factory = new Configuration().addAnnotatedClass(Doc.class)
            .setProperty("hibernate.connection.url", url).setProperty("hibernate.connection.pool_size", "1")
            .setProperty("hibernate.hbm2ddl.auto", "create-drop").buildSessionFactory();
        Document sent = new Document("_id", new ObjectId("5f2b1c3d4e5f60718293a4b5"))
            .append("int64", 15L).append("large", 4968387550L).append("int32", 15).append("double", 15.0)
            .append("date", new java.util.Date(1646309594789L)).append("decimal", Decimal128.parse("1.10"))
            .append("binary", new Binary(new byte[] {0, 1, -1}))
            .append("nested", new Document("list", java.util.List.of(1, "zwei", new Document("drei", 3L))));
        factory.inTransaction(session -> { session.persist(new Doc(sent)); session.persist(new Doc(null)); });
        for (int i = 0; i < 8; i++)             // beyond the threshold of prepared statements
            factory.inTransaction(session -> {
                Doc doc = session.createQuery("from Doc d where function('bson_get_int8', d.data, 'int64') = 15", Doc.class).getSingleResult();
                if (!doc.data.equals(sent))
                    throw new AssertionError(doc.data);
                if (session.createQuery("from Doc d where d.data is null", Doc.class).getSingleResult().data != null)
                    throw new AssertionError("null");
            });
        factory.inTransaction(session -> {
            Doc doc = session.createNativeQuery("SELECT * FROM hibernate_doc WHERE data @> CAST(:part AS bson)", Doc.class)
                .setParameter("part", "{\"nested\": {\"list\": [\"zwei\"]}}").getSingleResult();
            doc.data.put("int32", 16);          // a change within the document is seen
        });
        factory.inTransaction(session -> {
            Object kind = session.createNativeQuery("SELECT bson_typeof(data -> 'double') FROM hibernate_doc WHERE data -> 'int32' = 16", String.class).getSingleResult();
            if (!kind.equals("double"))
                throw new AssertionError(kind);
        });
        factory.close();
        System.out.println("ok hibernate");
    }
}
