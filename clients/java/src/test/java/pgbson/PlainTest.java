package pgbson;

import static org.junit.jupiter.api.Assertions.*;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.Document;
import org.bson.types.*;
import org.junit.jupiter.api.*;

/** Plain writes and reads what org.bson writes and reads, whatever is in a value or wrong in a text. */
class PlainTest {
    private static final String[] PARTS = {"a", "b", " ", "é", "ß", "€", "😀", "\ud800", "\"", "\\", "/", "\n", "\t", "\b", "\f", "\r", "\u0001", "$", "\0"};
    private static final List<Supplier<Object>> SCALARS = List.of(() -> 1.5, () -> -0.0, () -> Double.NaN, () -> Double.longBitsToDouble(0x7ff8000000000001L), () -> 1e300, () -> 15.0, () -> 0, () -> -7,
        () -> Integer.MIN_VALUE, () -> 15L, () -> 4294967296L, () -> Long.MIN_VALUE, () -> true, () -> false, () -> null, () -> new Date(-1), () -> new Date(Long.MAX_VALUE), ObjectId::new, () -> Decimal128.parse("1.10"),
        () -> Decimal128.NaN, () -> new Binary(new byte[] {1}), UUID::randomUUID, () -> Instant.ofEpochMilli(5), () -> new Code("x"), MinKey::new, () -> new BsonDocument("a", new BsonInt32(1)), () -> new java.math.BigDecimal("1.5"),
        () -> List.of(1, "x"), () -> new TreeMap<>(Map.of("a", 1)), () -> new java.sql.Timestamp(5), () -> 'c', () -> new Object(), () -> Map.of(1, 2));
    private final Random random = new Random(1);

    private String text(int parts) {
        StringBuilder made = new StringBuilder();
        int among = random.nextInt(20) == 0 ? PARTS.length : 1 + random.nextInt(PARTS.length - 1);
        for (int i = random.nextInt(parts); i > 0; i--)
            made.append(PARTS[random.nextInt(among)]);
        return made.toString();
    }

    private Object value(int depth) {
        int kind = random.nextInt(depth > 3 ? 4 : 7);
        if (kind < 2)
            return text(40);
        if (kind < 4)
            return SCALARS.get(random.nextInt(random.nextInt(4) == 0 ? SCALARS.size() : 19)).get();
        if (kind == 4) {
            List<Object> list = new ArrayList<>();
            for (int i = random.nextInt(13); i > 0; i--)
                list.add(value(depth + 1));
            return list;
        }
        Document document = new Document();
        for (int i = random.nextInt(6); i > 0; i--)
            document.put(random.nextInt(30) == 0 ? "$oid" : text(6), value(depth + 1));
        return document;
    }

    private static Object outcome(Supplier<Object> made) {
        try {
            Object value = made.get();
            return value instanceof byte[] ? Arrays.toString((byte[]) value) : value;
        } catch (RuntimeException error) {
            return error.getClass();
        }
    }

    private static Object readByOrgBson(String text) { return text.startsWith("\\x") ? PGbson.parse(text) : PGbson.parseStored(text); }

    @Test void values() {
        int quick = 0, read = 0;
        for (int i = 0; i < 20000; i++) {
            Object value = value(0);
            assertEquals(outcome(() -> PGbson.encodeByCodec(value)), outcome(() -> PGbson.encode(value)), () -> String.valueOf(value));
            if (Plain.encode(value) != null)
                quick++;
            if (!(outcome(() -> PGbson.encode(value)) instanceof String))
                continue;
            PGbson sent = new PGbson();
            sent.setByteValue(PGbson.encode(value), 0);
            String text = sent.toString();
            assertEquals(readByOrgBson(text), PGbson.parse(text), text);
            if (text.startsWith("\\x") || text.isEmpty())
                continue;
            try {
                Plain.parse(text);
                read++;
            } catch (Plain.Unread unread) {
                // is read by org.bson
            }
        }
        assertTrue(quick > 5000 && read > 5000, quick + " written, " + read + " read");
    }

    @Test void texts() {
        for (String text : new String[] {"{\"a\": 1, \"b\": [1.5, \"x\", null, true, false, -0.0, 1e+21, 4294967296, {}, []]}", "{\"a\": {\"$numberLong\": \"15\"}}", "[{\"$oid\": \"5f2b1c3d4e5f60718293a4b5\"}]", "5", "\"x\"", "null",
            "{\"a\": {\"$date\": \"2022-03-03T12:13:14.789Z\"}}", "{\"a\": {\"$date\": {\"$numberLong\": \"-1\"}}}", "{\"a\": {\"$numberDouble\": \"NaN\"}, \"b\": {\"$numberDecimal\": \"1.10\"}}", "{\"$ref\": \"c}\", \"$id\": {\"x\": \"{\"}}",
            "{\"a\": {\"b\": 1, \"$oid\": \"x\"}}", "{\"a\": 1, \"a\": 2}", "{\"$binary\": {\"base64\": \"AAH/\", \"subType\": \"80\"}}", "\"\\u00e9\\ud83d\\ude00\\n\\/\\\\\"", "{\"$timestamp\": {\"t\": 1, \"i\": 7}}"})
            assertEquals(PGbson.parseStored(text), Plain.parse(text), text);
        for (String wrong : new String[] {"", "{", "{\"a\"}", "{\"a\": }", "[1", "[1,]", "\"x", "\"\\", "\"\\u12", "tru", "1.2.3", "123456789012345678901", "1 2", "{\"a\": {\"$oid\": \"x\"}}", "{\"a\": {\"$numberLong\": \"x\"}}"})
            assertThrows(Plain.Unread.class, () -> Plain.parse(wrong), wrong);
        Document circle = new Document();
        circle.put("circle", List.of(circle));
        assertNull(Plain.encode(circle));
    }
}
