package pgbson;

import java.sql.JDBCType;
import java.util.List;
import org.postgresql.util.PGobject;
import org.springframework.core.convert.converter.Converter;
import org.springframework.data.convert.ReadingConverter;
import org.springframework.data.convert.WritingConverter;
import org.springframework.data.jdbc.core.mapping.JdbcValue;

/** Spring Data JDBC: converters for properties of type PGbson, as userConverters() of AbstractJdbcConfiguration. */
public final class BsonConverters {
    private BsonConverters() { }

    public static List<?> list() { return List.of(new ToColumn(), new FromColumn()); }

    @WritingConverter
    public static class ToColumn implements Converter<PGbson, JdbcValue> {
        @Override public JdbcValue convert(PGbson value) { return JdbcValue.of(value, JDBCType.OTHER); }
    }

    @ReadingConverter
    public static class FromColumn implements Converter<PGobject, PGbson> {
        @Override public PGbson convert(PGobject value) {
            if (value instanceof PGbson)
                return (PGbson) value;
            PGbson result = new PGbson();
            result.setValue(value.getValue());
            return result;
        }
    }
}
