package pgbson;

import static pgbson.Common.*;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.sql.*;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.BsonBinaryReader;
import org.bson.BsonBinaryWriter;
import org.bson.Document;
import org.bson.codecs.Codec;
import org.bson.codecs.DecoderContext;
import org.bson.codecs.DocumentCodec;
import org.bson.codecs.EncoderContext;
import org.bson.io.BasicOutputBuffer;
import org.junit.jupiter.api.*;

/** How long this process takes to fetch and decode the documents of test/clients/speed.sql, beside jsonb by Jackson. */
class SpeedTest {
    private static final int COUNT = 10000;
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private static Object read(ResultSet rows, String column) throws Exception {
        return column.equals("plain") ? MAPPER.readValue(rows.getString(1), Map.class) : PGbson.document(rows, 1);
    }

    private void report(String name, Connection connection) throws Exception {
        String[] columns = {"data", "plain", "extended"};
        double[] best = new double[3];
        Arrays.fill(best, Double.MAX_VALUE);
        for (int turn = 0; turn < 8; turn++)
            for (int i = 0; i < 3; i++) {
                long begin = system.getProcessCpuTime();
                try (PreparedStatement select = connection.prepareStatement("SELECT " + columns[i] + " FROM speed"); ResultSet rows = select.executeQuery()) {
                    while (rows.next())
                        read(rows, columns[i]);
                }
                best[i] = Math.min(best[i], (system.getProcessCpuTime() - begin) / 1000.0 / COUNT);
            }
        System.out.printf("speed | %s | %.1f | %.1f | %.2f | %.1f |%n", name, best[0], best[1], best[0] / best[1], best[2]);
    }

    private static final String TEXT = "{\"id\": 7, \"customer\": {\"name\": \"Ada Lovelace\", \"email\": \"ada@example.com\", \"zip\": \"0150\", \"city\": \"Oslo\"}, \"total\": 99.75, "
        + "\"note\": null, \"tags\": [\"new\", \"express\"], \"items\": [%s]}";
    private static final String ITEM = "{\"sku\": \"A-%1$d\", \"name\": \"Item %1$d of the order\", \"quantity\": %1$d, \"price\": %2$d.9, \"gift\": %3$b}";

    private interface Once { Object run() throws Exception; }
    private static Object kept;

    private double time(Once once) throws Exception {
        java.lang.management.ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        for (int count = 8;; count *= 2) {
            long begin = threads.getCurrentThreadCpuTime();
            for (int i = 0; i < count; i++)
                kept = once.run();
            long spent = threads.getCurrentThreadCpuTime() - begin;
            if (spent >= 8_000_000)
                return spent / 1000.0 / count;
        }
    }

    /** The best of many turns of all by turns; "alone" is org.bson. */
    private void compare(String name, Once bson, Once json, Once alone) throws Exception {
        double[] best = {Double.MAX_VALUE, Double.MAX_VALUE, Double.MAX_VALUE};
        for (int turn = 0; turn < 30; turn++) {
            best[0] = Math.min(best[0], time(bson));
            best[1] = Math.min(best[1], time(json));
            best[2] = Math.min(best[2], time(alone));
        }
        System.out.printf("speed | %s | %.2f | %.2f | %.2f | %.2f |%n", name, best[0], best[1], best[0] / best[1], best[2] / best[1]);
    }

    /** Documents of about 200 bytes, 1 kB and 20 kB, without a server. */
    @Test void values() throws Exception {
        Assumptions.assumeTrue(System.getenv("SPEED") != null);
        for (int items : new int[] {0, 7, 160}) {
            String list = IntStream.range(0, items).mapToObj(i -> String.format(ITEM, i, 19 + i, i % 2 == 0)).collect(Collectors.joining(", "));
            String text = String.format(TEXT, list), size = " of " + text.length() + " bytes";
            Document document = Document.parse(text);
            Map<?, ?> map = MAPPER.readValue(text, Map.class);
            byte[] bytes = PGbson.encode(document);
            Codec<Document> codec = new DocumentCodec();
            Once write = () -> MAPPER.writeValueAsString(map), read = () -> MAPPER.readValue(text, Map.class), encode = () -> {
                BasicOutputBuffer buffer = new BasicOutputBuffer();
                codec.encode(new BsonBinaryWriter(buffer), document, EncoderContext.builder().build());
                return buffer.toByteArray();
            };
            compare("pgjdbc, `register`, encoding a document" + size, () -> new PGbson(document).bytes(), write, encode);
            compare("pgjdbc, text, encoding a document" + size, () -> new PGbson(document).getValue(), write, encode);
            compare("pgjdbc, `register`, decoding a document" + size, () -> PGbson.decode(bytes), read, () -> codec.decode(new BsonBinaryReader(ByteBuffer.wrap(bytes)), DecoderContext.builder().build()));
            compare("pgjdbc, text, decoding a document" + size, () -> PGbson.parse(text), read, () -> Document.parse(text));
        }
    }

    @Test void speed() throws Exception {
        Assumptions.assumeTrue(System.getenv("SPEED") != null);
        try (Connection connection = DriverManager.getConnection(URL)) {
            report("pgjdbc, text", connection);
            PGbson.register(connection);
            report("pgjdbc, `register`", connection);
        }
    }
}
