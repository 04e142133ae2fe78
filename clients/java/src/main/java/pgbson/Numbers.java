package pgbson;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.bson.Document;
import org.bson.types.Decimal128;

/** What numbers become where they are read, for PGbson.useNumbers. */
public enum Numbers {
    /** As they are stored: Integer, Long, Double, Decimal128. */
    STORED,
    /** As JSON has them: Integer, Long, and a Double also for a decimal. */
    NATIVE {
        @Override Object number(Number value) { return value instanceof Decimal128 ? (Object) Double.valueOf(value.toString()) : value; }
    },
    /** Each a BigDecimal, but for NaN and what is infinite, which stay what they are. */
    DECIMAL {
        @Override Object number(Number value) {
            if (value instanceof Double ? !Double.isFinite((Double) value) : value instanceof Decimal128 && !((Decimal128) value).isFinite())
                return value;
            return new BigDecimal(value.toString());
        }
    };

    Object number(Number value) { return value; }

    /** A value that was read, with its numbers changed in place. */
    Object of(Object value) {
        if (this == STORED)
            return value;
        if (value instanceof Document)
            ((Document) value).replaceAll((key, each) -> of(each));
        else if (value instanceof List<?>) {
            List<Object> changed = new ArrayList<>(((List<?>) value).size());
            ((List<?>) value).forEach(each -> changed.add(of(each)));
            return changed;
        }
        return value instanceof Number ? number((Number) value) : value;
    }
}
