package pgbson;

import java.io.Serializable;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Objects;
import org.bson.Document;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.usertype.UserType;

/** Hibernate: @Type(BsonType.class) for a Document in a column of type bson. */
public class BsonType implements UserType<Document> {
    @Override public int getSqlType() { return Types.OTHER; }
    @Override public Class<Document> returnedClass() { return Document.class; }
    @Override public boolean equals(Document a, Document b) { return Objects.equals(a, b); }
    @Override public int hashCode(Document document) { return document.hashCode(); }

    @Override public Document nullSafeGet(ResultSet rows, int position, SharedSessionContractImplementor session, Object owner) throws SQLException {
        Object value = rows.getObject(position);
        if (value instanceof PGbson)
            return ((PGbson) value).document();
        return value == null ? null : (Document) PGbson.parse(value.toString());
    }

    @Override public void nullSafeSet(PreparedStatement statement, Document document, int index, SharedSessionContractImplementor session) throws SQLException {
        if (document == null)
            statement.setNull(index, Types.OTHER, "bson");
        else
            statement.setObject(index, new PGbson(document));
    }

    @Override public Document deepCopy(Document document) { return document == null ? null : (Document) PGbson.decode(PGbson.encode(document)); }
    @Override public boolean isMutable() { return true; }
    @Override public Serializable disassemble(Document document) { return document == null ? null : PGbson.encode(document); }
    @Override public Document assemble(Serializable cached, Object owner) { return cached == null ? null : (Document) PGbson.decode((byte[]) cached); }
}
