// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.ClientOptions;
import io.boltwork.LockOptions;
import io.boltwork.engine.client.EngineWorld;
import io.boltwork.engine.locks.EngineLock;
import io.boltwork.machine.LockMachine;
import io.boltwork.memory.MemoryServer;
import io.boltwork.spi.Announce;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Command;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;

/** Many clients with real engines and many masters, in virtual time and without faults. Counts the commands. */
final class ScaleWorld {

    static final int SLOTS = 16_384;

    /** The time of a message in one direction. */
    private static final long LATENCY = 100 * Plan.MICRO;

    final VirtualTime time = new VirtualTime();
    final List<MemoryServer> masters = new ArrayList<>();
    final List<Engine> clients = new ArrayList<>();

    /** The number of executed commands of each kind. */
    final Map<Class<?>, Long> commands = new HashMap<>();

    /** The number of renewed leases. */
    long renewed;

    /** The number of grants that were sent as messages. */
    long messages;

    ScaleWorld(int masterCount, int clientCount) {
        for (int i = 0; i < masterCount; i++) {
            masters.add(MemoryServer.create(time::instant));
        }
        for (int i = 0; i < clientCount; i++) {
            clients.add(client(i));
            pass(20 * Plan.SECOND / clientCount); // spreads the periodic work of the clients
        }
    }

    private Engine client(int number) {
        Random random = new Random(number);
        return Engine.open(
                new Wire(),
                ClientOptions.defaults(),
                new EngineWorld(
                        new ClientRecord("client" + number, "scale", "here", 1, 0, LockBackend.WIRE_VERSION),
                        time::now,
                        time::instant,
                        () -> "id " + ids++,
                        (task, delay) -> time.timer(delay, task),
                        time::soon,
                        random::nextLong,
                        (outcome, blocker, nanos) -> {
                            throw new IllegalStateException("no thread sleeps here");
                        },
                        defect -> {
                            throw new IllegalStateException(defect);
                        },
                        () -> {},
                        LockMachine.UNDER_WAY));
    }

    static int slot(String lock) {
        return Math.floorMod(lock.hashCode() * 0x9E3779B9, SLOTS);
    }

    /** Delivers commands to the masters, and grants to the clients. */
    private final class Wire implements LockBackend {

        @Override
        public void open(String client, BackendListener listener) {
            for (int i = 0; i < masters.size(); i++) {
                masters.get(i).subscribe(client, grant -> {
                    messages++;
                    time.after(LATENCY, () -> listener.granted(grant));
                });
                BitSet slots = new BitSet(SLOTS);
                for (int slot = i; slot < SLOTS; slot += masters.size()) {
                    slots.set(slot);
                }
                listener.connected(masters.get(i).time(), slots);
            }
        }

        @Override
        public void rename(String client) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void send(Command<?> command, Consumer<Reply> handler) {
            List<String> locks = command.locks();
            MemoryServer master = masters.get(locks.isEmpty() ? 0 : slot(locks.get(0)) % masters.size());
            time.after(LATENCY, () -> {
                commands.merge(command.getClass(), 1L, Long::sum);
                renewed += command instanceof Command.Renew ? locks.size() : 0;
                Reply reply = master.execute(command);
                time.after(LATENCY, () -> handler.accept(reply));
            });
        }

        @Override
        public int partitions() {
            return SLOTS;
        }

        @Override
        public int partition(String lock) {
            return slot(lock);
        }

        @Override
        public Duration commandTimeout() {
            return Duration.ofSeconds(2);
        }

        @Override
        public void close() {}
    }

    private long ids;

    void pass(long nanos) {
        long end = time.now() + nanos;
        while (time.step(end)) {}
    }

    long count(Class<?> kind) {
        return commands.getOrDefault(kind, 0L);
    }

    /** Returns the number of commands about locks, without announcements. */
    long commands() {
        return commands.values().stream().mapToLong(Long::longValue).sum() - count(Announce.class);
    }

    void forget() {
        commands.clear();
        renewed = 0;
        messages = 0;
    }

    EngineLock lock(int client, String name) {
        return new EngineLock(clients.get(client), name, LockOptions.defaults());
    }
}
