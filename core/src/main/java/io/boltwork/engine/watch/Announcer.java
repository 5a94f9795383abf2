// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.watch;

import io.boltwork.engine.client.ClientCore;
import io.boltwork.engine.client.Heartbeat;
import io.boltwork.engine.drive.LockDrivers;
import io.boltwork.machine.request.Promise;
import io.boltwork.spi.Announce;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Keeps the client's record at the backend, which describes this client to others. Also notices another living client
 * with the same id, which exists if two JVMs were restored from one snapshot. Thread-safe.
 */
public final class Announcer {

    /*
     * A record has a nonce, which is new with each connection, and an announcement is answered with the nonce that it
     * replaces. This class remembers all nonces that it has sent, so a lost answer does no harm. If it has never sent
     * the nonce in the record, another living client has. Two clients that were restored from one snapshot remember the
     * same nonces up to the snapshot. Both have new connections afterwards, and so nonces that the other does not know.
     * The second one to announce itself finds the nonce of the first, takes another id, and puts the nonce of the first
     * back. The first keeps its id and its holds.
     */

    /** The time for which the backend keeps the record. */
    private static final long LIFE_MILLIS = TimeUnit.MINUTES.toMillis(1);

    /** The time between two announcements. */
    private static final long EVERY = TimeUnit.SECONDS.toNanos(20);

    /**
     * The time between two announcements while a lock is held or used, or an announcement is unanswered. A heartbeat
     * that comes a little early counts.
     */
    private static final long OFTEN = TimeUnit.SECONDS.toNanos(2) - Heartbeat.PERIOD / 2;

    /** The number of newest nonces that are remembered. Each connection has one, and a record lasts for a minute. */
    private static final int REMEMBERED = 1_024;

    private final ClientCore core;
    private final LockDrivers drivers;
    private final BusyLocks busyLocks;

    /** Called with the client's id if another living client has it. */
    private final Consumer<String> cloned;

    /** Guards the fields below. No command is sent while it is held. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Set<String> nonces = new LinkedHashSet<>();
    private String nonce = "";
    private long sentAt;
    private boolean answered;

    public Announcer(ClientCore core, LockDrivers drivers, BusyLocks busyLocks, Consumer<String> cloned) {
        this.core = core;
        this.drivers = drivers;
        this.busyLocks = busyLocks;
        this.cloned = cloned;
    }

    /** Creates the record of a client of this JVM. */
    public static ClientRecord newRecord(String id, String application) {
        return new ClientRecord(
                id,
                application,
                host(),
                ProcessHandle.current().pid(),
                System.currentTimeMillis(),
                LockBackend.WIRE_VERSION);
    }

    private static String host() {
        Map<String, String> environment = System.getenv();
        String named = environment.getOrDefault("HOSTNAME", environment.getOrDefault("COMPUTERNAME", ""));
        if (!named.isBlank()) {
            return named; // without asking a name server
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException nameless) {
            return "unknown";
        }
    }

    /** Announces the client, unless it was announced when the connection came up. */
    public void announceFirst() {
        if (isNew()) {
            connected();
        }
    }

    private boolean isNew() {
        lock.lock();
        try {
            return nonces.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Announces the client on a new connection. */
    public void connected() {
        String fresh = core.ids.get();
        lock.lock();
        try {
            nonce = fresh;
            nonces.add(fresh);
            if (nonces.size() > REMEMBERED) {
                nonces.remove(nonces.iterator().next());
            }
        } finally {
            lock.unlock();
        }
        announce();
    }

    /** Announces the client again if it is time to. Called once a second. */
    public void check() {
        long now = core.ticker.nanos();
        boolean due;
        lock.lock();
        try {
            long since = now - sentAt;
            due = since >= EVERY || since >= OFTEN && (!answered || drivers.isAnyHeld() || busyLocks.hasNews());
        } finally {
            lock.unlock();
        }
        if (due) {
            announce();
        }
    }

    private void announce() {
        ClientRecord announced;
        String now;
        lock.lock();
        try {
            announced = core.identity.clientRecord().withBusiest(busyLocks.announce());
            now = nonce;
            sentAt = core.ticker.nanos();
            answered = false;
        } finally {
            lock.unlock();
        }
        core.backend.send(new Announce(announced, LIFE_MILLIS, now), reply -> {
            if (core.backend.partitions() == 1) {
                core.heard(0, reply); // else the record is on the server of its key
            }
            if (reply instanceof Reply.Announced answer) {
                answered(announced, now, answer);
            }
        });
    }

    private void answered(ClientRecord announced, String sent, Reply.Announced answer) {
        boolean another;
        lock.lock();
        try {
            answered |= sent.equals(nonce);
            another = !answer.before().isEmpty()
                    && !nonces.contains(answer.before())
                    && core.identity.id().equals(announced.id());
        } finally {
            lock.unlock();
        }
        if (another) {
            putBack(announced, answer.before()); // first: a new id ends the connection
            cloned.accept(announced.id());
        }
    }

    /** Restores another client's record, which this client has replaced. */
    private void putBack(ClientRecord replaced, String before) {
        core.backend.send(
                new Announce(replaced.withBlocked(List.of()).withBusiest(List.of()), LIFE_MILLIS, before), reply -> {});
    }

    /** Removes the client's record from the backend. Returns a promise of the reply. */
    public Promise<Reply> removeRecord() {
        Promise<Reply> done = new Promise<>();
        core.backend.send(new Announce(core.identity.clientRecord(), 0, ""), done::decide);
        return done;
    }
}
