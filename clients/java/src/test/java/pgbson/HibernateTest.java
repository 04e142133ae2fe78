package pgbson;

import static org.junit.jupiter.api.Assertions.*;
import static pgbson.Common.*;

import jakarta.persistence.*;
import org.bson.Document;
import org.hibernate.SessionFactory;
import org.hibernate.annotations.Type;
import org.hibernate.cfg.Configuration;
import org.junit.jupiter.api.Test;

class HibernateTest {
    @Entity(name = "Doc") @Table(name = "hibernate_doc")
    public static class Doc {
        @Id @GeneratedValue(strategy = GenerationType.IDENTITY) public Long id;
        @Type(BsonType.class) @Column(columnDefinition = "bson") public Document data;
        public Doc() { }
        public Doc(Document data) { this.data = data; }
    }

    @Test void hibernate() {
        SessionFactory factory = new Configuration().addAnnotatedClass(Doc.class)
            .setProperty("hibernate.connection.url", URL.replace("prepareThreshold=-1", "prepareThreshold=5")).setProperty("hibernate.connection.pool_size", "1")
            .setProperty("hibernate.hbm2ddl.auto", "create-drop").buildSessionFactory();
        factory.inTransaction(session -> { session.persist(new Doc(SENT)); session.persist(new Doc(null)); });
        for (int i = 0; i < 8; i++)             // beyond the threshold of prepared statements
            factory.inTransaction(session -> {
                Doc doc = session.createQuery("from Doc d where function('bson_get_int8', d.data, 'int64') = 15", Doc.class).getSingleResult();
                assertEquals(SENT, doc.data);
                assertNull(session.createQuery("from Doc d where d.data is null", Doc.class).getSingleResult().data);
            });
        factory.inTransaction(session -> {
            Doc doc = session.createNativeQuery("SELECT * FROM hibernate_doc WHERE data @> CAST(:part AS bson)", Doc.class)
                .setParameter("part", "{\"nested\": {\"list\": [\"zwei\"]}}").getSingleResult();
            doc.data.put("int32", 16);          // a change within the document is seen
        });
        factory.inTransaction(session -> assertEquals("double",
            session.createNativeQuery("SELECT bson_typeof(data -> 'double') FROM hibernate_doc WHERE data -> 'int32' = 16", String.class).getSingleResult()));
        factory.close();
    }
}
