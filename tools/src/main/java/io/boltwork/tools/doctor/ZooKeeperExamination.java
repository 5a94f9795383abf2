// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.doctor;

import io.boltwork.BackendException;
import io.boltwork.LockClient;
import io.boltwork.tools.connect.StoreOptions;
import io.boltwork.tools.connect.ZooKeeperAccess;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.data.Stat;

/** Examines a ZooKeeper: first as a client of locks sees it, then the size of the ensemble and the leader's clock. */
final class ZooKeeperExamination implements Examination {
    private static final String CONFIGURATION = "/zookeeper/config";
    private static final int WRITES = 50;
    private static final long LONGEST = 2_000_000_000L;

    private final StoreOptions store;
    private final Latencies latencies;
    private final Diagnosis diagnosis;
    private final String address;

    ZooKeeperExamination(StoreOptions store, Latencies latencies, Diagnosis diagnosis) {
        this.store = store;
        this.latencies = latencies;
        this.diagnosis = diagnosis;
        this.address = store.zooKeeperServers();
    }

    @Override
    public void examine() {
        try (LockClient locks = store.connectToLook("boltwork doctor")) {
            diagnosis.health(address, locks.health());
            ProbeLock.measure(locks, address, diagnosis).ifPresent(timing -> latencies.check(diagnosis, timing));
        } catch (BackendException why) {
            diagnosis.cannotConnect(address, why);
            if (diagnosis.isUnreachable()) {
                return;
            }
        }
        try (CuratorFramework zooKeeper = ZooKeeperAccess.start(store)) {
            ensemble(zooKeeper);
            clock(zooKeeper);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } catch (Exception refused) { // Curator's interface
            diagnosis.note(
                    "ensemble",
                    address,
                    "the ensemble could not be examined: " + refused.getMessage(),
                    "its size and its clock are not known",
                    "give the digest of the application's user");
        }
    }

    private void ensemble(CuratorFramework zooKeeper) throws Exception {
        int slash = address.indexOf('/');
        if (slash >= 0) {
            return; // below a chroot, the configuration cannot be seen
        }
        byte[] data = zooKeeper.getData().forPath(CONFIGURATION);
        String configuration = data == null ? "" : new String(data, StandardCharsets.UTF_8);
        long members = configuration
                .lines()
                .filter(line -> line.startsWith("server.") && !line.contains(":observer"))
                .count();
        if (members <= 1) {
            diagnosis.warning(
                    "quorum",
                    address,
                    "the ensemble has one server",
                    "locks cannot be taken or renewed while it is down, and are lost with its disk",
                    "run three servers, on different machines");
        } else if (members % 2 == 0) {
            diagnosis.note(
                    "quorum",
                    address,
                    "the ensemble has " + members + " servers",
                    "it survives no more failures than one with " + (members - 1) + " servers",
                    "add one server, or remove one");
        }
    }

    private void clock(CuratorFramework zooKeeper) throws Exception {
        String root = store.prefix("/boltwork");
        String node = (zooKeeper.checkExists().forPath(root) == null ? "" : root) + "/doctor-" + UUID.randomUUID();
        long[] nanos = new long[WRITES];
        zooKeeper.create().withMode(CreateMode.EPHEMERAL).forPath(node);
        ClockReading best = null;
        int done = 0;
        long end = System.nanoTime() + LONGEST;
        while (done < WRITES && (done == 0 || System.nanoTime() < end)) {
            double before = System.currentTimeMillis() / 1e3;
            long sent = System.nanoTime();
            Stat written = zooKeeper.setData().forPath(node, new byte[0]);
            long took = System.nanoTime() - sent;
            nanos[done++] = took;
            double server = written.getMtime() / 1e3;
            ClockReading read =
                    new ClockReading(sent + took / 2, server, server - before - took / 2e9, took / 2e9 + 1e-3);
            best = best == null || read.error() < best.error() ? read : best;
        }
        zooKeeper.delete().forPath(node);
        latencies.check(diagnosis, Timing.of("write", address, Arrays.copyOf(nanos, done)));
        Clocks clocks = new Clocks(diagnosis);
        if (best != null) {
            clocks.read(address, best);
        }
        clocks.compare(false);
    }
}
