package io.boltwork.examples;

import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import io.boltwork.redis.RedisBackend;
import io.lettuce.core.RedisURI;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * One shop of the sale, a JVM of its own. It is told what to do on standard input, line by line, and reports on standard
 * output; the end of its input is the end of the JVM.
 *
 * <pre>
 * in: redis://localhost:6379    out: ready
 * in: sale (plan)               out: ready, when the buyers stand at the door
 * in: go (epoch milliseconds)   out: visit (visit), for each buyer, then done
 * in: close                     the JVM ends
 * </pre>
 */
final class Shop {
    private final LockClient locks;
    private final Warehouse warehouse;

    private Shop(LockClient locks, Warehouse warehouse) {
        this.locks = locks;
        this.warehouse = warehouse;
    }

    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String uri = in.readLine();
        if (uri == null) {
            return;
        }
        try (LockClient locks = LockClient.create(RedisBackend.connect(uri));
                Warehouse warehouse = Warehouse.connect(RedisURI.create(uri))) {
            new Shop(locks, warehouse).obey(in);
        }
        System.exit(0);
    }

    private void obey(BufferedReader in) throws IOException {
        System.out.println("ready");
        Crowd crowd = null;
        while (true) {
            String line = in.readLine();
            if (line == null) {
                Runtime.getRuntime().halt(0); // who started the sale is gone
            } else if (line.equals("close")) {
                return;
            } else if (line.startsWith("sale ")) {
                SalePlan plan = SalePlan.parse(line.substring("sale ".length()));
                FencedLock lock = locks.lock(plan.item());
                crowd = new Crowd(plan, Gate.of(plan.mode(), lock, plan.patience()), warehouse);
                crowd.gather();
                System.out.println("ready");
            } else if (line.startsWith("go ") && crowd != null) {
                crowd.letIn(Long.parseLong(line.substring("go ".length())));
            } else {
                throw new IOException("Not understood: " + line);
            }
        }
    }
}
