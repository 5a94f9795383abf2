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
 * Keeps the client's record at the backend, which tells others who this client is, and tells the client whether another living
 * one has the same id: two JVMs that were restored from one snapshot do. Thread-safe.
 */
final class Announcer {

    /*
     * A record has a nonce, which is new with each connection, and an announcement is answered with the nonce that it replaces.
     * All nonces that were sent are remembered, so a lost answer does no harm. A nonce in the record that was never sent from
     * here was sent by another living client. Two clients that were restored from one snapshot remember the same nonces up to
     * the snapshot; both have new connections afterwards, and so nonces that the other does not know. The one that announces
     * itself second finds the other's, takes another id, and puts the other's nonce back: the other keeps its id and its holds.
     */

    /** How long the record is remembered. */
    private static final long LIFE_MILLIS = TimeUnit.MINUTES.toMillis(1);

    private static final long EVERY = TimeUnit.SECONDS.toNanos(20);

    /** While something is held, or an announcement was not answered. A beat that is a little early counts. */
    private static final long OFTEN = TimeUnit.SECONDS.toNanos(2) - Heartbeat.PERIOD / 2;

    /** Nonces that are remembered, the newest: a connection each, and a record lasts for a minute. */
    private static final int REMEMBERED = 1_024;

    private final Engine engine;

    /** Guards what follows; nothing is sent or told while it is held. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Set<String> nonces = new LinkedHashSet<>();
    private String nonce = "";
    private long sentAt;
    private boolean answered;

    /** Changed by {@link #rename} alone. */
    private volatile ClientRecord card;

    Announcer(Engine engine, ClientRecord card) {
        this.engine = engine;
        this.card = card;
    }

    /** The card of a client of this JVM. */
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
            return named; // no question to a name server
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException nameless) {
            return "unknown";
        }
    }

    /** The client's id. */
    String client() {
        return card.id();
    }

    /** Announces the client, unless that was done when the connection came up. */
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

    /** Announces the client once more if it is time to. Once a second. */
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
            announced = card;
            now = nonce;
            sentAt = engine.ticker.nanos();
            answered = false;
        } finally {
            lock.unlock();
        }
        engine.backend.send(new Command.Announce(announced, LIFE_MILLIS, now), reply -> {
            if (engine.backend.partitions() == 1) {
                engine.backendWatch.heard(0, reply); // else it is kept wherever its key belongs
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
                    && card.id().equals(announced.id());
        } finally {
            lock.unlock();
        }
        if (another) {
            putBack(announced, answer.before()); // first: a new id ends the connection
            engine.cloned(announced.id());
        }
    }

    /** Restores the record that this client has replaced, which is another's. */
    private void putBack(ClientRecord replaced, String before) {
        engine.backend.send(new Command.Announce(replaced, LIFE_MILLIS, before), reply -> {});
    }

    /** Gives the client another id, unless it has another one already. Returns whether it was done. */
    boolean rename(String from, String to) {
        lock.lock();
        try {
            if (!card.id().equals(from)) {
                return false;
            }
            card = new ClientRecord(
                    to, card.application(), card.host(), card.pid(), card.sinceMillis(), card.wireVersion());
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** The client is closed. */
    Promise<Reply> end() {
        Promise<Reply> done = new Promise<>();
        engine.backend.send(new Command.Announce(card, 0, ""), done::decide);
        return done;
    }
}
