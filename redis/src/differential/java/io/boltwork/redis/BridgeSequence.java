// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static io.boltwork.redis.BridgeBed.COUNTER;
import static io.boltwork.redis.BridgeBed.FAIR_QUEUE;
import static io.boltwork.redis.BridgeBed.KEY;
import static io.boltwork.redis.BridgeBed.LOCK;
import static io.boltwork.redis.BridgeBed.OTHER;
import static io.boltwork.redis.BridgeBed.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.Command;
import io.boltwork.spi.Command.Acquire;
import io.boltwork.spi.Command.Release;
import io.boltwork.spi.Command.Renew;
import io.boltwork.spi.Command.Restore;
import io.boltwork.spi.Command.Withdraw;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Renewed;
import io.boltwork.spi.Reply.Restored;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/**
 * One random sequence of commands of two clients with the bridge, of one without it, and of Redisson, on an empty
 * server. After every step, the keys, the answer and the messages must be what {@link BridgeStep} says.
 */
final class BridgeSequence implements DifferentialSequence {
    private static final long START = Instant.parse("2026-01-01T00:00:00Z").toEpochMilli() * 1_000;
    private static final int STEPS = 60;
    private static final int TRACE = 30;
    private static final long DAY = 24 * 3_600_000L;
    private static final List<Long> LEASES = List.of(20L, 1_000L, 20_000L);
    private static final List<Long> FOREIGN_LEASES = List.of(8L, 30L, 30_000L, 30_000L, 2 * DAY);
    private static final List<String> CLIENTS = List.of("a", "a", "b", "b", "dead");

    private final BridgeBed site;
    private final RedisAsyncCommands<byte[], byte[]> raw;
    private final Map<String, Integer> counts;
    private final Random random;
    private final ArrayDeque<String> trace = new ArrayDeque<>();
    private final boolean isQuick;
    private final boolean isHeard;

    private final boolean startsAtRedisson;

    /** The number of commands of Redisson in 100. */
    private final int foreign;

    private long micros = START;
    private BridgeState state = BridgeState.EMPTY;
    private long highest; // of all tokens

    /** Set if Redisson's counter has counted the highest token, and was not lost since. */
    private boolean isCounted;

    private String part = "";

    BridgeSequence(BridgeBed site, long seed, Map<String, Integer> counts) throws Exception {
        this.site = site;
        this.raw = site.raw();
        this.counts = counts;
        this.random = new Random(seed * 0x9E3779B97F4A7C15L); // seeds in a row are alike
        this.isQuick = oneIn(2);
        this.isHeard = !oneIn(4);
        this.startsAtRedisson = oneIn(3);
        this.foreign = oneOf(List.of(0, 10, 40));
        pass(0);
        site.flush();
        site.listen(isHeard);
    }

    @Override
    public void execute() throws Exception {
        if (!startsAtRedisson && oneIn(2)) {
            beforeTheBridge();
        }
        for (int i = 0; i < STEPS; i++) {
            pass(isQuick ? random.nextInt(1_500) : random.nextInt(30_000));
            if (oneIn(4)) {
                passTo(moments());
            }
            state = state.at(now());
            if (state.counted() == 0) { // what only Redisson has counted is forgotten
                isCounted = false;
                highest = Math.min(highest, state.number("fence"));
            }
            if (startsAtRedisson && i < 2) {
                startAtRedisson(i);
            } else if (random.nextInt(100) < foreign) {
                part = "Redisson";
                redisson();
            } else if (oneIn(16)) {
                part = "disturbance";
                disturb();
            } else if (oneIn(25)) {
                part = "without the bridge";
                plain();
            } else if (oneIn(6)) {
                renewOrRestore();
            } else {
                part = "step";
                step(command());
            }
        }
    }

    /** Lets Redisson hold the lock before Boltwork knows it. */
    private void startAtRedisson(int step) throws Exception {
        part = "step";
        if (step == 0) {
            take("f:1");
            quiet();
        } else {
            step(acquire(request(), oneIn(2)));
        }
    }

    private boolean oneIn(int many) {
        return random.nextInt(many) == 0;
    }

    private <T> T oneOf(List<T> some) {
        return some.get(random.nextInt(some.size()));
    }

    private void pass(long more) throws Exception {
        micros += more;
        site.clock().set(micros);
    }

    private long now() {
        return micros / 1_000;
    }

    /** Passes to one of these moments, or almost, or a little further. */
    private void passTo(List<Long> millis) throws Exception {
        pass(Math.max(0, (oneOf(millis) + random.nextInt(3) - 1) * 1_000 - micros));
    }

    private List<Long> moments() {
        List<Long> chances = state.chances(now());
        long poll = oneIn(60) ? state.lockEnd() : now() + 1;
        return List.of(state.number("until"), state.hashEnd(), chances.get(1) + 20, chances.get(2), poll);
    }

    private String request() {
        return oneOf(CLIENTS) + ":" + random.nextInt(3);
    }

    /** Returns the owner, or mostly another request if there is none. */
    private String owner() {
        String owner = state.owner();
        return owner.isEmpty() || owner.equals("-") || owner.startsWith("p") || oneIn(12) ? request() : owner;
    }

    private Acquire acquire(String request, boolean queue) {
        long notAfter = oneIn(25) ? now() - 1 + random.nextInt(3) : Long.MAX_VALUE;
        return new Acquire(LOCK, request, queue, oneOf(LEASES), oneIn(6) ? 500 : 0, notAfter);
    }

    private Command<?> command() {
        long token = Math.max(1, state.number("token"));
        long left = state.chances(now()).get(2) - now();
        if (state.hashEnd() == BridgeState.NEVER
                && oneIn(2)) { // a grant that ends when the lock would be asked for again
            return state.hasQueue()
                    ? new ForceRelease(LOCK, 0)
                    : new Acquire(LOCK, "a:1", true, 1_000, 0, Long.MAX_VALUE);
        }
        if (left > 0 && oneIn(3)) { // opens a closed lock, or keeps it as long as Redisson was to have it
            return state.owner().isEmpty() || state.owner().equals("-")
                    ? new ForceRelease(LOCK, 0)
                    : new Release(LOCK, state.owner(), token, token, left, null);
        }
        return switch (random.nextInt(20)) {
            case 0, 1, 2, 3, 4, 5, 6, 7 -> acquire(request(), !oneIn(4));
            case 8 -> acquire(owner(), true);
            case 9, 10, 11, 12 -> new Release(LOCK, owner(), token, token + random.nextInt(3), 0, null);
            case 13, 14 -> releaseAndAsk(token);
            case 15 -> new Release(LOCK, owner(), token, token, oneOf(List.of(3L, 300L)), null);
            case 16 -> new Withdraw(LOCK, owner(), oneIn(2) ? 0 : token);
            case 17 -> new Withdraw(LOCK, oneIn(3) ? null : request(), 0);
            case 18 -> new ForceRelease(LOCK, 0);
            default -> new ForceRelease(LOCK, oneIn(2) ? token : token + 999 + random.nextInt(2));
        };
    }

    private Release releaseAndAsk(long token) {
        String owner = owner();
        String next = request();
        Acquire ask = next.equals(owner) ? null : acquire(next, true);
        return new Release(LOCK, owner, token, token, oneIn(8) ? 50 : 0, ask);
    }

    private void note(Object what) {
        trace.add((micros - START) / 1_000.0 + " ms " + what);
        if (trace.size() > TRACE) {
            trace.remove();
        }
    }

    private void step(Command<?> command) throws Exception {
        note(command);
        CompletableFuture<Reply> answer = site.start(command);
        BridgeState after = site.look(now());
        Reply reply = site.await(answer);
        List<String> told = site.messages();
        note(reply + " " + told + " " + after);
        new BridgeStep(command, now(), state, after, reply, told, isHeard).check();
        count(command, reply, after, told);
        if (after.number("token") != state.number("token")) {
            assertThat(after.number("token")).as("the token").isGreaterThan(highest);
            highest = after.number("token");
            isCounted = true;
        }
        state = after;
    }

    private void count(Command<?> command, Reply reply, BridgeState after, List<String> told) {
        String what = command.getClass().getSimpleName();
        if (reply instanceof Acquired acquired) {
            what += " " + acquired.verdict() + (acquired.owner() == null ? " closed" : "");
        } else if (reply instanceof Reply.Released released) {
            what += " " + released.outcome();
        } else if (reply instanceof Reply.Forced forced) {
            what += forced.released() ? " taken" : " not taken";
        } else if (reply instanceof Reply.Failed) {
            what = "refused";
        }
        counts.merge(what, 1, Integer::sum);
        told.forEach(message -> counts.merge(message.replaceAll(" .*", ""), 1, Integer::sum));
        if (after.chances(now()).get(2) > now()) {
            counts.merge("left", 1, Integer::sum);
        }
    }

    /** Executes what Redisson's scripts execute. */
    private void redisson() throws Exception {
        String client = oneOf(List.of("f:1", "g:1"));
        boolean holds = client.equals(state.holder());
        byte[] key = bytes(LOCK);
        boolean isPlain = state.hash() != null;
        int what = random.nextInt(10);
        if (isPlain && what < 5 && (holds || state.holder().isEmpty())) {
            take(client);
        } else if (isPlain && holds && what < 6) {
            note("renew " + client);
            site.await(raw.pexpire(key, oneOf(FOREIGN_LEASES)));
        } else if (isPlain && what < 9 && holds) {
            note("give back " + client);
            if (site.await(raw.hincrby(key, bytes(client), -1)) <= 0) {
                open();
            }
        } else if (what == 9 && state.hashEnd() != BridgeState.ABSENT) {
            note("force unlock");
            open();
        }
        quiet();
    }

    private void take(String client) throws Exception {
        note("take " + client);
        raw.hincrby(bytes(LOCK), bytes(client), 1);
        if (oneIn(2) && (state.counter() == null || state.counted() > 0)) {
            long token = site.await(raw.incr(bytes(COUNTER)));
            assertThat(token).as("the token of Redisson").isGreaterThan(isCounted ? highest : 0);
            highest = Math.max(highest, token);
        }
        if (!oneIn(6)) {
            site.await(raw.pexpire(bytes(LOCK), oneOf(FOREIGN_LEASES)));
        }
    }

    private void open() throws Exception {
        raw.del(bytes(LOCK));
        site.await(raw.publish(bytes(BridgeBed.CHANNEL), bytes("0")));
    }

    /** Changes the keys as neither library does, or as other objects of Redisson do. */
    private void disturb() throws Exception {
        int what = random.nextInt(11);
        note("disturbance " + what);
        byte[] key = bytes(LOCK);
        switch (what) {
            case 0 -> site.await(raw.flushall());
            case 1 -> site.await(raw.del(bytes(KEY)));
            case 2, 3 -> site.await(raw.del(key));
            case 4 -> site.await(raw.pexpire(key, 1));
            case 5 -> site.await(raw.del(bytes(COUNTER)));
            case 6 -> site.await(raw.set(bytes(COUNTER), bytes(String.valueOf(micros + random.nextInt(9_000)))));
            case 7 -> site.await(raw.set(bytes(COUNTER), bytes("no number")));
            default -> beOfAnotherKind(what == 8);
        }
        quiet();
        isCounted &= what != 7 && state.counter() != null;
        highest = what == 0 ? 0 : what == 6 ? Math.max(state.number("fence"), state.counted()) : highest;
    }

    /** Lets Redisson's key be that of another object while commands come. */
    private void beOfAnotherKind(boolean isFair) throws Exception {
        BridgeState was = state;
        if (isFair) {
            site.await(raw.rpush(bytes(FAIR_QUEUE), bytes("h:1")));
        } else if (was.holder().isEmpty()) {
            site.await(raw.set(bytes(LOCK), bytes("3")));
        } else if (was.hash() != null) {
            site.await(raw.hset(bytes(LOCK), bytes("mode"), bytes("read")));
        }
        quiet();
        for (int i = 0; i < 3; i++) {
            step(command());
        }
        if (isFair) {
            site.await(raw.del(bytes(FAIR_QUEUE)));
        } else if (was.holder().isEmpty()) {
            site.await(raw.del(bytes(LOCK)));
        } else if (was.hash() != null) {
            site.await(raw.hdel(bytes(LOCK), bytes("mode")));
        }
        quiet();
    }

    /** Reads the keys after a step that was none of Boltwork. */
    private void quiet() throws Exception {
        state = site.look(now());
        site.messages();
    }

    /** Executes a command of a client without the bridge. */
    private void plain() throws Exception {
        String request = "p:" + random.nextInt(2);
        long token = Math.max(1, state.number("token"));
        Command<?> command = switch (random.nextInt(5)) {
            case 0 -> new Release(LOCK, request, token, token, 0, null);
            case 1 -> new Withdraw(LOCK, request, 0);
            case 2 -> new Restore(LOCK, request, token, 1_000, 0, Long.MAX_VALUE);
            case 3 -> new ForceRelease(LOCK, 0);
            default -> new Acquire(LOCK, request, oneIn(2), oneOf(LEASES), 0, Long.MAX_VALUE);
        };
        without(command);
    }

    /** Lets the client without the bridge use the lock before the others do, perhaps until the end of its lease. */
    private void beforeTheBridge() throws Exception {
        part = "without the bridge";
        Acquire acquire = new Acquire(LOCK, "p:0", true, oneOf(LEASES), 0, Long.MAX_VALUE);
        int scene = random.nextInt(5);
        switch (scene) {
            case 0 -> without(new Release(LOCK, "p:0", 1 + random.nextInt(2), 2, 0, null));
            case 1 -> without(new Restore(LOCK, "p:0", 1, 1_000, 0, Long.MAX_VALUE));
            default -> without(acquire);
        }
        pass(random.nextInt(1_500));
        if (scene == 3) {
            without(new Acquire(LOCK, "p:1", true, 1_000, 0, Long.MAX_VALUE));
        } else if (scene == 4) {
            without(new Release(LOCK, "p:0", state.number("token"), state.number("token"), 0, null));
        }
        if (!oneIn(4) && scene != 4) {
            pass(Math.max(0, state.number("until") * 1_000 - micros + (oneIn(3) ? 1_000 : 0)));
        }
        part = "step";
        state = state.at(now());
        step(command());
    }

    private void without(Command<?> command) throws Exception {
        note("without the bridge: " + command);
        Reply reply = site.executePlain(command, oneIn(2));
        BridgeState after = site.look(now());
        List<String> told = site.messages();
        note(reply + " " + after);
        if (state.lock().containsKey("bridge")) {
            new BridgeStep(command, now(), state, after, reply, told, isHeard).isRefused("BRIDGED");
            counts.merge("refused without the bridge", 1, Integer::sum);
        } else {
            assertThat(after.hash()).isEqualTo(state.hash());
            assertThat(after.counter()).isEqualTo(state.counter());
            checkForgotten(command, reply);
            highest = Math.max(highest, after.number("token"));
            isCounted &= after.number("token") == state.number("token");
        }
        state = after;
    }

    /** Checks whether the server has lost a hold of a client without the bridge. */
    private void checkForgotten(Command<?> command, Reply reply) {
        boolean isFree = state.owner().isEmpty() || now() >= state.number("until");
        if (command instanceof Release release
                && reply instanceof Reply.Released released
                && released.outcome() != Reply.Release.RELEASED) {
            boolean isForgotten = isFree && state.number("fence") < release.firstToken();
            assertThat(released.outcome()).isEqualTo(isForgotten ? Reply.Release.FORGOTTEN : Reply.Release.NOT_HELD);
        } else if (command instanceof Restore restore && reply instanceof Restored restored) {
            boolean isForgotten = isFree && state.number("fence") < restore.firstToken();
            assertThat(restored.outcome()).isEqualTo(isForgotten ? Renewal.OK : Renewal.LOST);
        }
    }

    private void renewOrRestore() throws Exception {
        long token = Math.max(1, state.number("token") - (oneIn(8) ? 1 : 0));
        long notAfter = oneIn(12) ? now() - 1 : Long.MAX_VALUE;
        long lease = oneOf(LEASES);
        if (oneIn(4)) {
            part = "restore";
            restore(new Restore(LOCK, owner(), oneIn(2) ? token : highest + 1_000, lease, 0, notAfter));
        } else {
            part = "renewal";
            renew(owner(), token, lease, oneIn(4) ? 500 : 0, notAfter);
        }
    }

    private void restore(Restore restore) throws Exception {
        note(restore);
        Reply reply = site.await(site.start(restore));
        BridgeState after = site.look(now());
        if (reply instanceof Restored restored) {
            assertThat(restored.outcome()).isEqualTo(restore.notAfter() < now() ? Renewal.STALE : Renewal.LOST);
        }
        assertThat(after.owner()).isEqualTo(state.owner());
        assertThat(after.lock().get("bridge")).isEqualTo(state.lock().get("bridge"));
        assertThat(after.hash()).isEqualTo(state.hash());
        assertThat(after.hashEnd()).isEqualTo(state.hashEnd());
        assertThat(site.messages()).isEmpty();
        state = after;
    }

    /** Renews the lock together with one that is not shared, in either order. */
    private void renew(String request, long token, long lease, long takeover, long notAfter) throws Exception {
        Acquire other = new Acquire(OTHER, "a:9", true, 60_000, 0, Long.MAX_VALUE);
        Acquired held = (Acquired) site.await(site.start(other));
        Renew.Item first = new Renew.Item(LOCK, request, token, lease, takeover);
        Renew.Item second = new Renew.Item(OTHER, "a:9", held.token(), 90_000, 0);
        boolean isFirst = oneIn(2);
        Renew renew = new Renew(isFirst ? List.of(first, second) : List.of(second, first), notAfter);
        boolean isForgotten = oneIn(6);
        if (isForgotten) {
            site.await(raw.del(bytes("boltwork:{" + OTHER + "}")));
        }
        note(renew);
        Renewed renewed = (Renewed) site.await(site.start(renew));
        BridgeState after = site.look(now());
        note(renewed + " " + after);
        Renewal outcome = renewed.items().get(isFirst ? 0 : 1).outcome();
        boolean isStale = notAfter < now();
        assertThat(renewed.items().get(isFirst ? 1 : 0).outcome())
                .isEqualTo(isStale ? Renewal.STALE : isForgotten ? Renewal.FORGOTTEN : Renewal.OK);
        boolean agree = request.equals(state.owner())
                && token == state.number("token")
                && state.hash() != null
                && state.hash().containsKey(request);
        assertThat(outcome)
                .as("the outcome of the renewal")
                .isEqualTo(isStale ? Renewal.STALE : agree ? Renewal.OK : Renewal.LOST);
        counts.merge("renewal " + outcome, 1, Integer::sum);
        assertThat(after.hash()).isEqualTo(state.hash());
        assertThat(after.lock().get("bridge")).isEqualTo(state.lock().get("bridge"));
        if (outcome == Renewal.OK) {
            assertThat(after.number("until")).isEqualTo(Math.max(state.number("until"), now() + lease + takeover));
            assertThat(after.hashEnd()).isEqualTo(after.number("until"));
            assertThat(site.endOfOther()).isEqualTo(isForgotten ? 0 : now() + 90_000);
        } else {
            assertThat(after.hashEnd()).isEqualTo(state.hashEnd());
            assertThat(after.lock().get("until")).isEqualTo(state.lock().get("until"));
        }
        assertThat(site.messages()).isEmpty();
        state = after;
    }

    @Override
    public String difference(Throwable failure) {
        return failure instanceof AssertionError ? part : "no answer";
    }

    @Override
    public String toString() {
        return String.join("\n", trace);
    }
}
