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
        @Override Object number(Number value) { return value instanceof Decimal128 decimal ? (Object) Double.valueOf(decimal.toString()) : value; }
    },
    /** Each a BigDecimal, but for NaN and what is infinite, which stay what they are. */
    DECIMAL {
        @Override Object number(Number value) {
            if (value instanceof Double number ? !Double.isFinite(number) : value instanceof Decimal128 decimal && (decimal.isNaN() || decimal.isInfinite()))
                return value;
            return new BigDecimal(value.toString());
        }
    };

    Object number(Number value) { return value; }

    /** A value that was read, with its numbers changed in place. */
    Object of(Object value) {
        if (this == STORED)
            return value;
        if (value instanceof Document document)
            document.replaceAll((key, each) -> of(each));
        else if (value instanceof List<?> list) {
            List<Object> changed = new ArrayList<>(list.size());
            list.forEach(each -> changed.add(of(each)));
            return changed;
        }
        return value instanceof Number number ? number(number) : value;
    }
}
