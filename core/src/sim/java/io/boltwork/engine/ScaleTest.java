// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Lease;
import io.boltwork.memory.MemoryServer;
import io.boltwork.spi.Command;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * The cost of holding, waiting and handing off, in commands and in heap. The cost does not grow with the number of
 * clients and locks. With {@code -Dboltwork.proof=true}: 1,000 clients, 100,000 locks, 30 masters;
 * docs/inside/measurements/scale.md has the output.
 */
class ScaleTest {

    private static final boolean PROOF = Boolean.getBoolean("boltwork.proof");
    private static final int CLIENTS = PROOF ? 1_000 : 100;
    private static final int MASTERS = PROOF ? 30 : 3;
    private static final int LOCKS = 100 * CLIENTS;
    private static final long LEASE = 30 * Plan.SECOND;
    private static final int LEASES = 4;

    /** A tenth of these numbers, for comparison. */
    private static final int PART = 10;

    private static long heap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    private static void say(String format, Object... args) {
        System.out.printf(Locale.ROOT, "scale, %,d clients, %,d locks, %,d masters: ", CLIENTS, LOCKS, MASTERS);
        System.out.printf(Locale.ROOT, format + "%n", args);
    }

    /** Acquires locks, each by one client, and returns the leases. */
    private static List<Lease> hold(ScaleWorld world, int locks) {
        List<Lease> held = new ArrayList<>(locks);
        int clients = world.clients.size();
        for (int i = 0; i < locks; i++) {
            world.lock(i % clients, "order:" + i).acquireAsync().thenAccept(held::add);
            world.pass(LEASE / locks / 4);
        }
        world.pass(Plan.SECOND);
        assertThat(held).hasSize(locks).allMatch(Lease::isValid);
        return held;
    }

    private static double commandsPerHeldLockAndLease(int clients, int locks, int masters) {
        ScaleWorld world = new ScaleWorld(masters, clients);
        List<Lease> held = hold(world, locks);
        world.pass(LEASE);
        world.forget();
        world.pass(LEASES * LEASE);
        assertThat(held).allMatch(Lease::isValid);
        assertThat(world.count(Command.Renew.class))
                .as("renewals among all commands")
                .isEqualTo(world.commands());
        assertThat(world.renewed).isBetween((long) locks * LEASES * 9 / 4 - locks, (long) locks * LEASES * 3 + locks);
        return (double) world.commands() / locks / LEASES;
    }

    @Test
    @EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
    void aHeldLockCostsThreeRenewalsPerLeaseAtAnyScale() {
        double part = commandsPerHeldLockAndLease(CLIENTS / PART, LOCKS / PART, MASTERS);
        double all = commandsPerHeldLockAndLease(CLIENTS, LOCKS, MASTERS);
        say("%.3f commands for a held lock and lease of 30 s, %.3f in a tenth of it", all, part);
        assertThat(all).isLessThanOrEqualTo(3.0).isLessThanOrEqualTo(part * 1.02);
    }

    @Test
    void aHeldLockTakesLittleHeap() {
        ScaleWorld world = new ScaleWorld(MASTERS, CLIENTS);
        long before = heap();
        List<Lease> held = hold(world, LOCKS);
        long both = heap() - before;
        before = heap();
        MemoryServer alone = MemoryServer.create(world.time::instant);
        for (int i = 0; i < LOCKS; i++) {
            String request = "client" + i % CLIENTS + ":" + i;
            alone.execute(new Command.Acquire("order:" + i, request, true, 30_000, 0, Long.MAX_VALUE));
        }
        long servers = heap() - before;
        assertThat(alone.time()).isNotNull(); // keeps it reachable until here
        long each = (both - servers) / LOCKS;
        say("%,d bytes of the client's heap for a held lock", each);
        assertThat(each).isLessThan(800); // 650 were measured
        assertThat(held).allMatch(Lease::isValid);
    }

    @Test
    void aWaiterAsksEveryFiveSecondsAndTakesLittleHeap() {
        ScaleWorld world = new ScaleWorld(MASTERS, CLIENTS);
        int locks = CLIENTS;
        List<Lease> held = hold(world, locks);
        long before = heap();
        int waiters = 9 * locks; // nine more clients want each lock
        for (int i = 0; i < waiters; i++) {
            int lock = i / 9;
            world.lock((lock + 1 + i % 9) % CLIENTS, "order:" + lock).acquireAsync();
            world.pass(LEASE / waiters / 4);
        }
        world.pass(Plan.SECOND);
        long each = (heap() - before) / waiters;
        world.pass(LEASE);
        world.forget();
        world.pass(60 * Plan.SECOND);
        double asks = (double) world.count(Command.Acquire.class) / waiters;
        say(
                "%.2f questions of a waiter in a minute; %,d bytes of heap for a waiter, its place at the server"
                        + " included",
                asks, each);
        assertThat(asks).isBetween(11.0, 13.0);
        assertThat(each)
                .isLessThan(1_600); // 1,384 were measured, about 350 of them for the busiest 256 locks of a client
        assertThat(held).allMatch(Lease::isValid);
    }

    /** Ten clients pass each lock on in a cycle; each holds it for a moment and requests it again. */
    private static double[] handOffs(int clients, int locks, int masters) {
        ScaleWorld world = new ScaleWorld(masters, clients);
        long[] holds = {0};
        for (int i = 0; i < 10 * locks; i++) {
            int lock = i / 10;
            goRound(world, (lock + i % 10) % clients, "order:" + lock, holds);
        }
        world.pass(5 * Plan.SECOND);
        world.forget();
        holds[0] = 0;
        world.pass(10 * Plan.SECOND);
        assertThat(holds[0]).isGreaterThan(10L * locks);
        return new double[] {
            (double) world.commands() / holds[0],
            (double) world.count(Command.Release.class) / holds[0],
            (double) world.messages / holds[0]
        };
    }

    private static void goRound(ScaleWorld world, int client, String name, long[] holds) {
        world.lock(client, name).acquireAsync().thenAccept(lease -> {
            holds[0]++;
            world.time.after(
                    50 * Plan.MILLI,
                    () -> lease.releaseAsync().thenAccept(done -> goRound(world, client, name, holds)));
        });
    }

    @Test
    @EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
    void aHandoffCostsAReleaseAMessageAndAnAcquireAtAnyScale() {
        double[] part = handOffs(CLIENTS / PART, CLIENTS / PART, MASTERS);
        double[] all = handOffs(CLIENTS, CLIENTS, MASTERS);
        say(
                "%.3f commands for a hand-off, of them %.3f releases, and %.3f messages; %.3f commands in a tenth of"
                        + " it",
                all[0], all[1], all[2], part[0]);
        assertThat(all[0]).isLessThanOrEqualTo(part[0] * 1.02).isLessThan(2.2);
        assertThat(all[1]).isBetween(0.99, 1.01);
        assertThat(all[2]).isBetween(0.99, 1.01);
    }
}
