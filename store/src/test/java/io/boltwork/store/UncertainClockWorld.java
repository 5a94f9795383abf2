// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import io.boltwork.spi.BackendListener;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;

/**
 * Clients that share one lock in a store whose time they know only up to a width, and whose clock an election replaces.
 * The steps and rules are the real ones. While a client is between reading and writing, time passes and other clients
 * act.
 */
final class UncertainClockWorld {

    /** A mistake that a store may make. */
    enum Mistake {
        NONE,
        /** Leases are not longer by the width. */
        NOT_LONGER,
        /** The rules run at the latest time that it may be. */
        LATEST_TIME,
        /** Records do not tell which clock their times are of. */
        NO_CLOCK_OF_RECORD,
        /** A record of another clock is taken over without the width. */
        WIDTH_NOT_ADDED
    }

    private static final long WIDTH = 100;
    private static final long EPOCH = 1_000_000_000;
    private static final int CLIENTS = 3;
    private static final RecordKey KEY = new RecordKey(RecordKey.Kind.LOCK, "lock");

    private record Versioned(String text, long version, StoreClock written) {}

    private final Random random;
    private final Mistake mistake;
    private final Map<RecordKey, Versioned> records = new HashMap<>();
    private final List<Long> offsets = new ArrayList<>(List.of(0L));
    private final List<Client> clients = new ArrayList<>();
    private long time = EPOCH;
    private long versions;
    private int depth;
    int granted;

    UncertainClockWorld(long seed, Mistake mistake) {
        this.random = new Random(seed);
        this.mistake = mistake;
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(new Client("client" + i));
        }
    }

    /** Lets clients act. Throws an {@link AssertionError} if two of them believe to hold the lock at one time. */
    void run(int actions) {
        for (int i = 0; i < actions; i++) {
            if (random.nextInt(15) == 0) {
                offsets.add(random.nextLong(-5_000, 5_000));
            }
            act(clients.get(random.nextInt(CLIENTS)));
        }
    }

    private void act(Client client) {
        pass(40);
        client.busy = true;
        client.act();
        client.busy = false;
    }

    private void pass(long most) {
        time += random.nextInt(4) == 0 ? random.nextLong(most * 10) : random.nextLong(most);
    }

    /** Time passes while a client is between two requests. */
    private void meanwhile() {
        if (depth < 4 && random.nextInt(3) == 0) {
            depth++;
            pass(60);
            Client other = clients.get(random.nextInt(CLIENTS));
            if (!other.busy) {
                act(other);
            }
            depth--;
        }
    }

    private final class Client implements RecordSteps.OwnClient {
        private final String id;
        private final Store store = new Store(this);
        private final RecordSteps steps = new RecordSteps(store, this);
        private final Queue<String> inbox = new ArrayDeque<>();
        private int clock;
        private boolean busy;
        private int number;
        private long token;

        /** The time until which it believes that it holds the lock. */
        private long until;

        private long answeredSent;
        private ServerTime answered = new ServerTime(0, "none");

        Client(String id) {
            this.id = id;
        }

        private String request() {
            return id + ":" + number;
        }

        private StoreExecutor executor() {
            return new StoreExecutor(store, steps);
        }

        void act() {
            if (random.nextInt(3) == 0) {
                clock = offsets.size() - 1;
            }
            String message = inbox.poll();
            if (message != null) {
                StoreMessage.deliver(message, new GrantReader(this));
            } else if (until <= time || random.nextInt(4) == 0) {
                if (token > 0 && random.nextBoolean()) {
                    until = 0;
                    executor().release(new Command.Release("lock", request(), token, token, 0, null));
                    forget();
                } else if (token == 0) {
                    acquire();
                } else {
                    until = 0;
                    executor().withdraw(new Command.Withdraw("lock", request(), token));
                    forget();
                }
            } else {
                renew();
            }
        }

        private void forget() {
            token = 0;
            until = 0;
            number++;
            answered = new ServerTime(0, "none");
        }

        private long lease() {
            return random.nextLong(150, 900);
        }

        private void acquire() {
            long sent = time;
            long lease = lease();
            boolean queue = random.nextInt(3) > 0;
            Reply.Acquired answer =
                    executor().acquire(new Command.Acquire("lock", request(), queue, lease, 0, Long.MAX_VALUE));
            answeredSent = sent;
            answered = answer.server();
            if (answer.verdict() == Reply.Verdict.GRANTED) {
                holds(answer.token(), sent + lease - 2);
            }
        }

        private void renew() {
            long sent = time;
            long lease = lease();
            Command.Renew.Item item = new Command.Renew.Item("lock", request(), token, lease, 0);
            Reply.Renewed answer = executor().renew(new Command.Renew(List.of(item), Long.MAX_VALUE));
            if (answer.items().get(0).outcome() == Reply.Renewal.OK) {
                if (until > time) {
                    holds(token, Math.max(until, sent + lease - 2));
                }
            } else {
                forget();
            }
        }

        void granted(Grant grant) {
            if (!grant.request().equals(request()) || token > 0) {
                return;
            }
            if (!grant.server().run().equals(answered.run())) {
                acquire();
                return;
            }
            long given = answeredSent + grant.server().millis() - answered.millis();
            holds(grant.token(), Math.min(given, time) + grant.leaseMillis() - 2);
        }

        private void holds(long first, long end) {
            token = first;
            until = end;
            granted += end > time ? 1 : 0;
            for (Client other : clients) {
                if (other != this && end > time && other.until > time) {
                    throw new AssertionError(id + " and " + other.id + " hold the lock at " + (time - EPOCH));
                }
            }
        }

        @Override
        public void deliver(String message) {
            inbox.add(message);
        }

        @Override
        public boolean isSelf(String client) {
            return client.equals(id);
        }
    }

    /** Gives grants to a client. */
    private record GrantReader(Client client) implements BackendListener {
        @Override
        public void granted(Grant grant) {
            client.granted(grant);
        }

        @Override
        public void connected(ServerTime server) {}

        @Override
        public void disconnected(Throwable cause) {}
    }

    private final class Store implements RecordStore {
        private final Client client;

        Store(Client client) {
            this.client = client;
        }

        private StoreClock clock() {
            long late = random.nextInt(3) == 0 ? WIDTH : random.nextLong(WIDTH + 1);
            long earliest = time + offsets.get(client.clock) - (random.nextInt(3) == 0 ? 0 : late);
            String run = "run" + client.clock;
            return switch (mistake) {
                case NOT_LONGER -> new StoreClock(run, earliest * 1_000);
                case LATEST_TIME -> new StoreClock(run, (earliest + WIDTH) * 1_000);
                default -> new StoreClock(run, earliest * 1_000, WIDTH * 1_000);
            };
        }

        @Override
        public StoredText read(RecordKey key) {
            meanwhile();
            Versioned found = records.get(key);
            if (found == null) {
                return new StoredText(null, 0, clock());
            }
            StoreClock written = mistake == Mistake.NO_CLOCK_OF_RECORD ? null : found.written;
            if (mistake == Mistake.WIDTH_NOT_ADDED && written != null) {
                written =
                        new StoreClock(written.run(), written.micros() + 2 * WIDTH * 1_000, written.uncertainMicros());
            }
            return new StoredText(found.text, found.version, clock(), written);
        }

        @Override
        public boolean write(RecordKey key, StoredText before, RecordChange change) {
            meanwhile();
            Versioned found = records.get(key);
            if ((found == null ? 0 : found.version) != before.version()) {
                return false;
            }
            records.put(key, new Versioned(change.text(), ++versions, before.clock()));
            return true;
        }

        @Override
        public boolean listens(String id) {
            return true;
        }

        @Override
        public void sendMessage(String id, String message) {
            clients.stream().filter(other -> other.id.equals(id)).forEach(other -> other.inbox.add(message));
        }

        @Override
        public void open(String id, StoreListener listener) {}

        @Override
        public void rename(String id) {}

        @Override
        public StoredPage scan(RecordKey.Kind kind, String after, int count) {
            return new StoredPage(List.of(), clock());
        }

        @Override
        public String version() {
            return "1";
        }

        @Override
        public Duration commandTimeout() {
            return Duration.ofSeconds(10);
        }

        @Override
        public String address() {
            return KEY.toString();
        }

        @Override
        public void close() {}
    }
}
