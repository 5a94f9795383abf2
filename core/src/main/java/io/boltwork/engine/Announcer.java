package io.boltwork.engine;

import io.boltwork.machine.Promise;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Command;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Keeps the client's record at the backend, which describes this client to others. Also notices another living client
 * with the same id, which exists if two JVMs were restored from one snapshot. Thread-safe.
 */
final class Announcer {

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
     * The time between two announcements while a lock is held or an announcement is unanswered. A heartbeat that comes
     * a little early counts.
     */
    private static final long OFTEN = TimeUnit.SECONDS.toNanos(2) - Heartbeat.PERIOD / 2;

    /** The number of newest nonces that are remembered. Each connection has one, and a record lasts for a minute. */
    private static final int REMEMBERED = 1_024;

    private final Engine engine;

    /** Guards the fields below. No command is sent while it is held. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Set<String> nonces = new LinkedHashSet<>();
    private String nonce = "";
    private long sentAt;
    private boolean answered;

    /** Changed by {@link #rename} only. */
    private volatile ClientRecord clientRecord;

    Announcer(Engine engine, ClientRecord clientRecord) {
        this.engine = engine;
        this.clientRecord = clientRecord;
    }

    /** Creates the record of a client of this JVM. */
    static ClientRecord newRecord(String id, String application) {
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

    /** The client's id. */
    String client() {
        return clientRecord.id();
    }

    /** Announces the client, unless it was announced when the connection came up. */
    void begin() {
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
    void connected() {
        String fresh = engine.ids.get();
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
    void check() {
        long now = engine.ticker.nanos();
        boolean due;
        lock.lock();
        try {
            long since = now - sentAt;
            due = since >= EVERY || since >= OFTEN && (!answered || engine.status.isHolding());
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
            announced = clientRecord;
            now = nonce;
            sentAt = engine.ticker.nanos();
            answered = false;
        } finally {
            lock.unlock();
        }
        engine.backend.send(new Command.Announce(announced, LIFE_MILLIS, now), reply -> {
            if (engine.backend.partitions() == 1) {
                engine.backendWatch.heard(0, reply); // else the record is on the server of its key
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
                    && clientRecord.id().equals(announced.id());
        } finally {
            lock.unlock();
        }
        if (another) {
            putBack(announced, answer.before()); // first: a new id ends the connection
            engine.cloned(announced.id());
        }
    }

    /** Restores another client's record, which this client has replaced. */
    private void putBack(ClientRecord replaced, String before) {
        engine.backend.send(new Command.Announce(replaced, LIFE_MILLIS, before), reply -> {});
    }

    /** Gives the client the id {@code to} if its id is {@code from}. Returns whether it was. */
    boolean rename(String from, String to) {
        lock.lock();
        try {
            if (!clientRecord.id().equals(from)) {
                return false;
            }
            clientRecord = new ClientRecord(
                    to,
                    clientRecord.application(),
                    clientRecord.host(),
                    clientRecord.pid(),
                    clientRecord.sinceMillis(),
                    clientRecord.wireVersion());
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Removes the client's record from the backend. Returns a promise of the reply. */
    Promise<Reply> end() {
        Promise<Reply> done = new Promise<>();
        engine.backend.send(new Command.Announce(clientRecord, 0, ""), done::decide);
        return done;
    }
}
