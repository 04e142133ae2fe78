package pgbson;

import static org.junit.jupiter.api.Assertions.*;
import static pgbson.Common.*;

import java.util.List;
import javax.sql.DataSource;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.*;
import org.springframework.data.annotation.Id;
import org.springframework.data.jdbc.repository.config.*;
import org.springframework.data.jdbc.repository.query.Query;
import org.springframework.data.relational.core.mapping.Table;
import org.springframework.data.repository.CrudRepository;
import org.springframework.data.repository.query.Param;
import org.springframework.jdbc.core.namedparam.*;
import org.springframework.jdbc.datasource.*;
import org.springframework.transaction.TransactionManager;

class SpringTest {
    @Table("spring_doc")
    public record Doc(@Id Long id, PGbson data) { }

    public interface Docs extends CrudRepository<Doc, Long> {
        @Query("SELECT * FROM spring_doc WHERE data @~ CAST(:query AS bson)")
        List<Doc> matching(@Param("query") String query);
    }

    @Configuration @EnableJdbcRepositories(considerNestedRepositories = true, includeFilters = @ComponentScan.Filter(type = FilterType.ASSIGNABLE_TYPE, classes = Docs.class))
    static class Config extends AbstractJdbcConfiguration {
        @Override protected List<?> userConverters() { return BsonConverters.list(); }
        @Bean DataSource dataSource() { return new SingleConnectionDataSource(URL, true); }
        @Bean NamedParameterJdbcOperations operations(DataSource source) { return new NamedParameterJdbcTemplate(source); }
        @Bean TransactionManager transactionManager(DataSource source) { return new DataSourceTransactionManager(source); }
    }

    @Test void spring() {
        try (var context = new AnnotationConfigApplicationContext(Config.class)) {
            var operations = context.getBean(NamedParameterJdbcOperations.class).getJdbcOperations();
            operations.execute("CREATE TEMP TABLE spring_doc (id serial PRIMARY KEY, data bson)");
            Docs docs = context.getBean(Docs.class);
            Doc saved = docs.save(new Doc(null, new PGbson(SENT)));
            docs.save(new Doc(null, null));
            assertEquals(SENT, docs.findById(saved.id()).orElseThrow().data().document());
            Doc doc = docs.matching("{\"int64\": {\"$gt\": 14}}").get(0);
            assertEquals(SENT, doc.data().document());
            docs.save(new Doc(saved.id(), new PGbson(new Document("n", 7))));
            assertEquals(7, docs.findById(saved.id()).orElseThrow().data().document().get("n"));
            assertNull(docs.findById(saved.id() + 1).orElseThrow().data());
            assertEquals("int", operations.queryForObject("SELECT bson_typeof(data -> 'n') FROM spring_doc WHERE data @> ?", String.class, new PGbson(new Document("n", 7))));
        }
    }
}
