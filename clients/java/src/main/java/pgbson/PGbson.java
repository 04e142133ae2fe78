package pgbson;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import org.bson.BsonBinaryReader;
import org.bson.BsonBinaryWriter;
import org.bson.Document;
import org.bson.UuidRepresentation;
import org.bson.codecs.BsonValueCodecProvider;
import org.bson.codecs.Codec;
import org.bson.codecs.DecoderContext;
import org.bson.codecs.DocumentCodecProvider;
import org.bson.codecs.EncoderContext;
import org.bson.codecs.EnumCodecProvider;
import org.bson.codecs.IterableCodecProvider;
import org.bson.codecs.MapCodecProvider;
import org.bson.codecs.ValueCodecProvider;
import org.bson.codecs.configuration.CodecRegistries;
import org.bson.codecs.jsr310.Jsr310CodecProvider;
import org.bson.io.BasicOutputBuffer;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.postgresql.core.BaseConnection;
import org.postgresql.util.PGBinaryObject;
import org.postgresql.util.PGobject;

/**
 * A value of PostgreSQL's type bson, for pgjdbc: a parameter of setObject, and a result of getObject.
 * After register(connection) it travels as BSON bytes, otherwise as the type's text, which loses nothing.
 */
public class PGbson extends PGobject implements PGBinaryObject {
    // java.util.UUID is the server's uuid
    private static final Codec<Document> CODEC = CodecRegistries.withUuidRepresentation(
        CodecRegistries.fromProviders(new ValueCodecProvider(), new BsonValueCodecProvider(), new DocumentCodecProvider(),
            new IterableCodecProvider(), new MapCodecProvider(), new Jsr310CodecProvider(), new EnumCodecProvider()),
        UuidRepresentation.STANDARD).get(Document.class);
    /** The server keeps a value that is no document as the document {"": MinKey, "": value}. */
    private static final byte[] ENVELOPE = {(byte) 0xff, 0};

    /** JSON as the server prints it: small longs are told from ints. */
    private static final JsonWriterSettings JSON = JsonWriterSettings.builder().outputMode(JsonMode.RELAXED).int64Converter((value, writer) -> {
        if (value.intValue() == value) {
            writer.writeStartObject();
            writer.writeString("$numberLong", value.toString());
            writer.writeEndObject();
        } else
            writer.writeNumber(value.toString());
    }).build();

    private static final long serialVersionUID = 1;

    /** What numbers become where they are read. */
    private static volatile Numbers numbers = Numbers.STORED;

    /** Of a value that came as text, the bytes are made when they are asked for. */
    private byte[] bytes;
    private String text;
    private boolean fetched;

    public PGbson() { type = "bson"; }

    /** A document, or any other value that a Document may hold. */
    public PGbson(Object value) {
        this();
        bytes = value == null ? null : encode(value);
    }

    /** BSON's null, where new PGbson(null) is SQL's NULL. */
    public static PGbson ofNull() {
        PGbson result = new PGbson();
        result.bytes = encode(null);
        return result;
    }

    /** The document, or null if the value is SQL's NULL or no document. */
    public Document document() {
        Object value = value();
        return value instanceof Document ? (Document) value : null;
    }

    public Object value() { return bytes != null ? decode(bytes) : text == null ? null : parse(text); }

    public byte[] bytes() {
        if (bytes == null && text != null)
            bytes = text.startsWith("\\x") ? fromHex(text) : encode(parsePlain(text));
        return bytes;
    }

    /** The document of a column, whether or not the connection is registered; null if it is NULL or no document. */
    public static Document document(ResultSet rows, int column) throws SQLException {
        PGbson value = rows.getObject(column, PGbson.class);
        return value == null ? null : value.document();
    }

    /** Say, for the whole program and before anything is read, what numbers become. */
    public static void useNumbers(Numbers what) { numbers = what; }

    public static byte[] encode(Object value) {
        byte[] plain = Plain.encode(value);
        if (plain != null)
            return value instanceof Map ? plain : envelope(plain, plain.length);
        return encodeByCodec(value);
    }

    static byte[] encodeByCodec(Object value) {
        // as a field: what was encoded says what type it has
        BasicOutputBuffer buffer = new BasicOutputBuffer();
        CODEC.encode(new BsonBinaryWriter(buffer), new Document("", value), EncoderContext.builder().build());
        byte[] field = buffer.getInternalBuffer();
        int length = buffer.getSize();
        if (field[4] == org.bson.BsonType.DOCUMENT.getValue())
            return Arrays.copyOfRange(field, 6, length - 1);
        return envelope(field, length);
    }

    /** Of the document of one field without a name that holds a value. */
    private static byte[] envelope(byte[] field, int length) {
        return ByteBuffer.allocate(length + ENVELOPE.length).order(java.nio.ByteOrder.LITTLE_ENDIAN)
            .putInt(length + ENVELOPE.length).put(ENVELOPE).put(field, 4, length - 4).array();
    }

    public static Object decode(byte[] bytes) { return numbers.of(decodeStored(bytes)); }

    private static Object decodeStored(byte[] bytes) {
        if (bytes.length <= 8 || bytes[4] != ENVELOPE[0] || bytes[5] != 0 || bytes[7] != 0)
            return documentOf(bytes);
        int length = bytes.length - ENVELOPE.length;
        return documentOf(ByteBuffer.allocate(length).order(java.nio.ByteOrder.LITTLE_ENDIAN).putInt(length).put(bytes, 6, length - 4).array()).get("");
    }

    /** From the type's text: Extended JSON, or the bytes in hexadecimal. */
    public static Object parse(String text) {
        return text.startsWith("\\x") ? decode(fromHex(text)) : numbers.of(parsePlain(text));
    }

    /** The bytes of a text that begins with \x. */
    private static byte[] fromHex(String text) {
        if (text.length() % 2 != 0)
            throw new IllegalArgumentException("the text of a bson has an odd number of hexadecimal digits");
        byte[] result = new byte[text.length() / 2 - 1];
        for (int i = 0; i < result.length; i++) {
            int high = Character.digit(text.charAt(2 * i + 2), 16), low = Character.digit(text.charAt(2 * i + 3), 16);
            if (high < 0 || low < 0)
                throw new IllegalArgumentException("the text of a bson has a wrong hexadecimal digit");
            result[i] = (byte) (high << 4 | low);
        }
        return result;
    }

    private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.ISO_8859_1);

    private static String toHex(byte[] bytes) {
        byte[] text = new byte[2 * bytes.length + 2];
        text[0] = '\\';
        text[1] = 'x';
        for (int i = 0; i < bytes.length; i++) {
            text[2 * i + 2] = DIGITS[bytes[i] >> 4 & 15];
            text[2 * i + 3] = DIGITS[bytes[i] & 15];
        }
        return new String(text, StandardCharsets.ISO_8859_1);
    }

    private static Object parsePlain(String text) {
        try {
            return Plain.parse(text);
        } catch (Plain.Unread unread) {
            return parseStored(text);
        }
    }

    static Object parseStored(String text) { return Document.parse("{\"\": " + text + "}", CODEC).get(""); }

    private static Document documentOf(byte[] bytes) {
        return CODEC.decode(new BsonBinaryReader(ByteBuffer.wrap(bytes)), DecoderContext.builder().build());
    }

    /** A parameter of type bson[] of documents, or of other values, or of null; setArray takes it. */
    public static Array array(Connection connection, Collection<?> values) throws SQLException {
        return connection.createArrayOf("bson", values.stream().map(value -> value == null || value instanceof PGbson ? value : new PGbson(value)).toArray());
    }

    /** Send and fetch this connection's bson as bytes; fetched as bytes only by what prepareThreshold prepares (-1: all). */
    public static void register(Connection connection) throws SQLException {
        BaseConnection base = connection.unwrap(BaseConnection.class);
        int oid = base.getTypeInfo().getPGType("bson");
        if (oid == 0)
            throw new SQLException("the extension bson is not installed in this database: CREATE EXTENSION bson");
        base.addDataType("bson", PGbson.class);
        base.getQueryExecutor().addBinarySendOid(oid);
        base.getQueryExecutor().addBinaryReceiveOid(oid);
    }

    @Override public void setValue(String value) { text = value; bytes = null; }

    /** A text that loses nothing: that of a value which was fetched, or hexadecimal digits. */
    @Override public String getValue() { return text != null ? text : bytes == null ? null : fetched ? toString() : digits(); }

    /** Extended JSON as the server prints it, which getString gives, too; hexadecimal digits where that would not be read back as the same. */
    @Override public String toString() {
        if (bytes() == null || text != null)
            return text;
        String field = new Document("", decodeStored(bytes)).toJson(JSON, CODEC);
        String json = field.substring(field.indexOf(':') + 1, field.length() - 1).strip();
        return isRead(json) ? json : digits();
    }

    private boolean isRead(String json) {
        try {
            return Arrays.equals(encode(parsePlain(json)), bytes);
        } catch (RuntimeException wrong) {
            // a document with a key such as $oid that is none of Extended JSON
            return false;
        }
    }

    private String digits() { return toHex(bytes); }

    @Override public boolean isNull() { return bytes == null && text == null; }
    @Override public void setByteValue(byte[] value, int offset) {
        bytes = Arrays.copyOfRange(value, offset, value.length);
        text = null;
        fetched = true;
    }

    @Override public int lengthInBytes() { return isNull() ? 0 : bytes().length; }
    @Override public void toBytes(byte[] target, int offset) { System.arraycopy(bytes(), 0, target, offset, bytes().length); }
    @Override public boolean equals(Object other) { return other instanceof PGbson && Arrays.equals(bytes(), ((PGbson) other).bytes()); }
    @Override public int hashCode() { return Arrays.hashCode(bytes()); }
}
