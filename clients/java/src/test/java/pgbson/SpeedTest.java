package pgbson;

import static pgbson.Common.*;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.sql.*;
import java.util.Arrays;
import java.util.Map;
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

    @Test void speed() throws Exception {
        Assumptions.assumeTrue(System.getenv("SPEED") != null);
        try (Connection connection = DriverManager.getConnection(URL)) {
            report("pgjdbc, text", connection);
            PGbson.register(connection);
            report("pgjdbc, `register`", connection);
        }
    }
}
