// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.redis.RedisBackend;
import io.boltwork.spi.LockBackend;
import io.lettuce.core.RedisURI;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * One shop of the sale, in a separate JVM. The shop reads commands from standard input, line by line, and reports on
 * standard output. The JVM ends when its input ends.
 *
 * <pre>
 * in: (URI of the stock's Redis)
 * in: (URIs of the locks' Redis, or another store) out: ready
 *
 * in: sale (plan)               out: ready, when the buyers' threads have started
 * in: go (epoch milliseconds)   out: visit (visit), for each buyer, then done
 * in: close                     the JVM ends
 *                               out: outage (kept) (restored) (lost) (asked again), after each outage
 *
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
        String stock = in.readLine();
        String where = in.readLine();
        if (stock == null || where == null) {
            return;
        }
        try (LockClient locks = LockClient.create(connect(List.of(where.split(" "))));
                Warehouse warehouse = Warehouse.connect(RedisURI.create(stock))) {
            locks.addListener(new Outages());
            new Shop(locks, warehouse).obey(in);
        }
        System.exit(0);
    }

    /**
     * Accepts one address, the addresses of a master and its replicas, {@code cluster} and some of its nodes,
     * {@code quorum} and all its servers, or a {@linkplain SaleStore#address store}.
     */
    private static LockBackend connect(List<String> where) {
        if (where.get(0).equals(SaleServers.QUORUM)) {
            return RedisBackend.connectQuorum(where.subList(1, where.size()));
        }
        if (List.of(SaleStore.DATABASE, SaleStore.ENSEMBLE, SaleStore.ETCD).contains(where.get(0))) {
            return SaleStore.connect(where.get(0), where.get(1));
        }
        if (where.get(0).equals(SaleServers.CLUSTER)) {
            return RedisBackend.connectCluster(where.subList(1, where.size()));
        }
        return where.size() == 1 ? RedisBackend.connect(where.get(0)) : RedisBackend.connectReplicated(where);
    }

    /** Reports the fate of the locks after an outage of their Redis. */
    private static final class Outages implements LockListener {
        @Override
        public void backendRecovered(BackendRecovered event) {
            System.out.println(
                    "outage " + event.kept() + " " + event.restored() + " " + event.lost() + " " + event.askedAgain());
        }
    }

    private void obey(BufferedReader in) throws IOException {
        System.out.println("ready");
        Crowd crowd = null;
        while (true) {
            String line = in.readLine();
            if (line == null) {
                Runtime.getRuntime().halt(0); // the process that started the sale has ended
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
