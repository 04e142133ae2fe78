package pgbson;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Map;
import org.bson.BsonValue;
import org.bson.Document;
import org.bson.types.Decimal128;
import org.bson.types.ObjectId;

/**
 * The most frequent values, written and read as org.bson does it, in a part of the time that its codecs and its parser
 * take.  What is not known here is left to them, and so is whatever is wrong, which they say.
 */
final class Plain {
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    /** A value that is nested deeper is left to org.bson; it may hold itself. */
    private static final int DEPTH = 100;

    private Plain() { }

    /** The bytes of a document, or of the document of one field without a name that holds another value; null if they are left to org.bson. */
    static byte[] encode(Object value) {
        Writer to = new Writer();
        if (value instanceof Map)
            return to.container(0, value, 0) ? Arrays.copyOfRange(to.bytes, 1, to.end) : null;
        to.end = 4;
        if (!to.element("", value, 0))
            return null;
        to.close(0);
        return Arrays.copyOf(to.bytes, to.end);
    }

    private static final class Writer {
        private byte[] bytes = new byte[512];
        /** How much is written; a document begins behind its type. */
        private int end = 1;

        private void room(int size) {
            if (bytes.length - end < size)
                bytes = Arrays.copyOf(bytes, Math.addExact(2 * bytes.length, size));
        }

        private boolean element(String name, Object value, int depth) {
            room(1);
            int kind = end++;
            return text(name, true) && value(kind, value, depth);
        }

        private boolean value(int kind, Object value, int depth) {
            room(16);
            if (value instanceof String) {
                bytes[kind] = 2;
                int begin = end;
                end += 4;
                if (!text((String) value, false))
                    return false;
                INT.set(bytes, begin, end - begin - 4);
            } else if (value instanceof Integer) {
                bytes[kind] = 16;
                INT.set(bytes, end, (int) value);
                end += 4;
            } else if (value instanceof Double)
                eight(kind, 1, Double.doubleToRawLongBits((double) value));
            else if (value instanceof Boolean) {
                bytes[kind] = 8;
                bytes[end++] = (byte) ((boolean) value ? 1 : 0);
            } else if (value == null)
                bytes[kind] = 10;
            else if (value instanceof Long)
                eight(kind, 18, (long) value);
            else if (value.getClass() == Date.class)
                eight(kind, 9, ((Date) value).getTime());
            else if (value instanceof ObjectId) {
                bytes[kind] = 7;
                System.arraycopy(((ObjectId) value).toByteArray(), 0, bytes, end, 12);
                end += 12;
            } else if (value instanceof Decimal128) {
                eight(kind, 19, ((Decimal128) value).getLow());
                eight(kind, 19, ((Decimal128) value).getHigh());
            } else
                return container(kind, value, depth);
            return true;
        }

        private void eight(int kind, int type, long value) {
            bytes[kind] = (byte) type;
            LONG.set(bytes, end, value);
            end += 8;
        }

        private boolean container(int kind, Object value, int depth) {
            int begin = end;
            if (value instanceof BsonValue || depth == DEPTH)
                return false;
            end += 4;
            if (value instanceof Map) {
                bytes[kind] = 3;
                for (Map.Entry<?, ?> each : ((Map<?, ?>) value).entrySet())
                    if (!(each.getKey() instanceof String) || !element((String) each.getKey(), each.getValue(), depth + 1))
                        return false;
            } else if (value instanceof List) {
                bytes[kind] = 4;
                int i = 0;
                for (Object each : (List<?>) value)
                    if (!element(Integer.toString(i++), each, depth + 1))
                        return false;
            } else
                return false;
            close(begin);
            return true;
        }

        private void close(int begin) {
            room(1);
            bytes[end++] = 0;
            INT.set(bytes, begin, end - begin);
        }

        /** UTF-8 and a zero byte; half a pair of surrogates is three bytes, as in org.bson. */
        private boolean text(String text, boolean isName) {
            int length = text.length();
            if (length > 1 << 28)
                return false;
            room(3 * length + 17);
            int to = end;
            for (int i = 0; i < length; i++) {
                int c = text.charAt(i);
                if (c < 0x80) {
                    if (c == 0 && isName)
                        return false;
                    bytes[to++] = (byte) c;
                    continue;
                }
                c = text.codePointAt(i);
                if (c < 0x800)
                    bytes[to++] = (byte) (0xc0 | c >> 6);
                else {
                    if (c < 0x10000)
                        bytes[to++] = (byte) (0xe0 | c >> 12);
                    else {
                        bytes[to++] = (byte) (0xf0 | c >> 18);
                        bytes[to++] = (byte) (0x80 | c >> 12 & 0x3f);
                        i++;
                    }
                    bytes[to++] = (byte) (0x80 | c >> 6 & 0x3f);
                }
                bytes[to++] = (byte) (0x80 | c & 0x3f);
            }
            bytes[to++] = 0;
            end = to;
            return true;
        }
    }

    /** What is left to org.bson. */
    static final class Unread extends RuntimeException {
        private static final long serialVersionUID = 1;

        Unread() { super(null, null, false, false); }
    }

    private static final Unread UNREAD = new Unread();

    /** The value that a text of JSON has, as the server prints it; throws Unread if it is left to org.bson. */
    static Object parse(String text) {
        Reader from = new Reader(text);
        Object value = from.value(0);
        if (from.next() != 0)
            throw UNREAD;
        return value;
    }

    private static final class Reader {
        private final String text;
        private int at;

        Reader(String text) { this.text = text; }

        /** The next character that is no space, which is not passed; 0 at the end. */
        private char next() {
            while (at < text.length()) {
                char c = text.charAt(at);
                if (c != ' ')
                    return c;
                at++;
            }
            return 0;
        }

        private boolean passed(char c) {
            if (next() != c)
                return false;
            at++;
            return true;
        }

        private void pass(char c) {
            if (!passed(c))
                throw UNREAD;
        }

        private Object literal(String word, Object value) {
            if (!text.startsWith(word, at))
                throw UNREAD;
            at += word.length();
            return value;
        }

        private Object value(int depth) {
            if (depth > DEPTH)
                throw UNREAD;
            switch (next()) {
            case '{': return object(depth);
            case '[': return list(depth);
            case '"': return string();
            case 't': return literal("true", true);
            case 'f': return literal("false", false);
            case 'n': return literal("null", null);
            default: return number();
            }
        }

        private List<Object> list(int depth) {
            List<Object> list = new ArrayList<>();
            pass('[');
            if (passed(']'))
                return list;
            do
                list.add(value(depth + 1));
            while (passed(','));
            pass(']');
            return list;
        }

        private Object object(int depth) {
            Document document = new Document();
            int begin = at;
            pass('{');
            if (passed('}'))
                return document;
            do {
                next();
                String name = string();
                if (document.isEmpty() && name.startsWith("$"))
                    return extended(begin, name);
                pass(':');
                document.put(name, value(depth + 1));
            } while (passed(','));
            pass('}');
            return document;
        }

        /** An object that may be a value of another type. */
        private Object extended(int begin, String name) {
            pass(':');
            if (next() == '"') {
                String content = string();
                if (passed('}'))
                    try {
                        switch (name) {
                        case "$oid": return new ObjectId(content);
                        case "$numberLong": return Long.valueOf(content);
                        case "$numberDecimal": return Decimal128.parse(content);
                        default: return PGbson.parseStored(text.substring(begin, at));
                        }
                    } catch (IllegalArgumentException wrong) {
                        throw UNREAD;
                    }
            }
            for (int open = 1; open > 0;)
                switch (next()) {
                case '"': string(); break;
                case '{': open++; at++; break;
                case '}': open--; at++; break;
                case 0: throw UNREAD;
                default: at++;
                }
            return PGbson.parseStored(text.substring(begin, at));
        }

        private Number number() {
            int begin = at;
            boolean isDouble = false;
            for (; at < text.length(); at++) {
                char c = text.charAt(at);
                if (c == '.' || c == 'e' || c == 'E')
                    isDouble = true;
                else if ((c < '0' || c > '9') && c != '-' && c != '+')
                    break;
            }
            try {
                if (isDouble)
                    return Double.valueOf(text.substring(begin, at));
                long number = Long.parseLong(text, begin, at, 10);
                if (number == (int) number)
                    return (int) number;
                return number;
            } catch (NumberFormatException wrong) {
                throw UNREAD;
            }
        }

        private String string() {
            pass('"');
            int begin = at;
            for (; at < text.length(); at++) {
                char c = text.charAt(at);
                if (c == '"')
                    return text.substring(begin, at++);
                if (c == '\\')
                    return escaped(new StringBuilder().append(text, begin, at));
            }
            throw UNREAD;
        }

        private String escaped(StringBuilder made) {
            for (; at < text.length(); at++) {
                char c = text.charAt(at);
                if (c == '"') {
                    at++;
                    return made.toString();
                }
                if (c == '\\') {
                    if (++at == text.length())
                        throw UNREAD;
                    int escape = "\"\\/bfnrt".indexOf(text.charAt(at));
                    if (escape >= 0)
                        c = "\"\\/\b\f\n\r\t".charAt(escape);
                    else
                        c = unicode();
                }
                made.append(c);
            }
            throw UNREAD;
        }

        private char unicode() {
            if (text.charAt(at) != 'u' || text.length() - at < 5)
                throw UNREAD;
            at += 4;
            try {
                return (char) Integer.parseInt(text, at - 3, at + 1, 16);
            } catch (NumberFormatException wrong) {
                throw UNREAD;
            }
        }
    }
}
