// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static io.boltwork.redis.VoteDifferentialBed.LISTENERS;
import static io.boltwork.redis.VoteDifferentialBed.LOCK;
import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.memory.MemoryBackend;
import io.boltwork.memory.MemoryLocks;
import io.boltwork.memory.MemoryServer;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.Command;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.Grant;
import io.boltwork.spi.HolderMessage;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.LockFreed;
import io.boltwork.spi.Query;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.VoteCommand.GiveBack;
import io.boltwork.spi.VoteCommand.Raise;
import io.boltwork.spi.VoteCommand.Vote;
import io.boltwork.spi.Witness;
import io.boltwork.spi.rules.VoteState;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * One random sequence of commands about the vote of a server, on an empty server: a Redis whose clock stands still and
 * a server in memory must agree on every answer, every message, and after every step on the record and its expiry.
 */
final class VoteDifferentialRun implements DifferentialSequence {
    private static final long START = Instant.parse("2026-01-01T00:00:00Z").toEpochMilli() * 1_000;
    private static final int STEPS = 80;
    private static final int TRACE = 40;
    private static final int BLOCK_END = LockBackend.TOKENS_PER_HOLD - 1;

    /** Less than a key lives after a force release, so that a sequence does not outlast the record of the uptime. */
    private static final long SOON = 3_600_000;

    /** A client that listens nowhere. */
    private static final String DEAD = "dead";

    private static final String KEPT = "-";
    private static final long WITNESS_MILLIS = 7 * 24 * 3_600_000L;

    /** Two of them differ by an eighth of the idle life, so that the expiry is set again at its very limit. */
    private static final List<Long> LEASES = List.of(1_000L, 1_000 + VoteDifferentialBed.LIFE.toMillis() / 8, 20_000L);

    private final VoteDifferentialBed site;
    private final Map<String, Integer> counts;
    private final Random random;
    private final ArrayDeque<String> trace = new ArrayDeque<>();
    private final List<String> voters;
    private final boolean isCrowded;
    private final List<Long> tokens = new ArrayList<>(List.of(1L));
    private final List<String> told = new ArrayList<>();
    private final MemoryServer memory = MemoryServer.create(this::instant);
    private long micros = START;
    private long longest;
    private long witnessExpiresAt;
    private Map<String, String> fields = Map.of();
    private String part = "";

    VoteDifferentialRun(VoteDifferentialBed site, long seed, Map<String, Integer> counts) throws Exception {
        this.site = site;
        this.counts = counts;
        this.random = new Random(seed * 0x9E3779B97F4A7C15L); // seeds in a row are alike
        this.isCrowded = seed % 3 == 0; // more clients watch than a server remembers
        int most = isCrowded ? LockBackend.WATCHERS + 16 : 2 + random.nextInt(2 * LockBackend.WATCHERS_TOLD);
        voters = Stream.concat(IntStream.range(0, most).mapToObj(i -> "voter" + i), LISTENERS.stream())
                .toList();
        memory.setIdleLife(VoteDifferentialBed.LIFE);
        voters.forEach(client -> MemoryBackend.on(memory).open(client, new Recorder(client)));
        pass(0);
        site.flush(oneIn(2));
    }

    /** Records the messages to a client. */
    private final class Recorder implements BackendListener {
        private final String client;

        Recorder(String client) {
            this.client = client;
        }

        @Override
        public void granted(Grant grant) {}

        @Override
        public void told(HolderMessage message) {
            told.add(client + ": " + message);
        }

        @Override
        public void freed(LockFreed freed) {
            told.add(client + ": " + freed);
        }

        @Override
        public void connected(ServerTime server) {}

        @Override
        public void disconnected(Throwable cause) {}
    }

    private Instant instant() {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    @Override
    public void execute() throws Exception {
        int votes = isCrowded ? voters.size() : 0;
        for (int i = 0; i < STEPS + votes; i++) {
            boolean votesOnly = i < votes;
            if (isCrowded && i == votes) {
                step(new GiveBack(LOCK, fields.getOrDefault("owner", "a:0"), field("token"), field("token"), 0, 0));
            }
            step(votesOnly ? vote(voters.get(i) + ":0", !oneIn(16)) : command());
            pass(oneIn(votesOnly ? 100 : 8) ? random.nextInt(6_000_000) : random.nextInt(3));
            if (oneIn(votesOnly ? 200 : 12)) {
                passTo(moments());
            }
            if (!votesOnly && oneIn(8)) {
                stepAtALimit();
            }
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

    /** Sends a command when a lease or a notice ends, or when the expiry of the record need just not be set again. */
    private void stepAtALimit() throws Exception {
        String[] watchers = fields.getOrDefault("watchers", "").split(" ");
        int others = watchers.length / 2 - 1;
        String voter = oneOf(voters) + ":0";
        if (others > 0 && oneIn(2)) {
            int watcher = 2 * random.nextInt(others); // perhaps another one watches for longer
            passTo(List.of(Long.parseLong(watchers[watcher + 1])));
            step(vote(watchers[watcher] + ":0", true));
        } else if (fields.containsKey("until") && oneIn(2)) {
            passTo(List.of(field("until")));
            long unknown = field("fence") + random.nextInt(2);
            step(new GiveBack(LOCK, voter, unknown, unknown, 0, 0));
        } else if (fields.containsKey("x") && field("x") - now() < SOON) {
            long lease = oneOf(LEASES);
            passTo(List.of(field("x") - VoteDifferentialBed.LIFE.toMillis() * 7 / 8 - lease));
            step(new Vote(LOCK, voter, lease, 0, Long.MAX_VALUE, true));
        }
    }

    /** Passes to one of these moments, or almost, or a little further. */
    private void passTo(List<Long> millis) throws Exception {
        if (!millis.isEmpty()) {
            pass(Math.max(0, (oneOf(millis) + random.nextInt(3) - 1) * 1_000 - micros));
        }
    }

    /** Returns when something ends, in milliseconds: the lease, the notice of a watcher, and seldom the record. */
    private List<Long> moments() {
        List<Long> moments = new ArrayList<>();
        if (fields.containsKey("until")) {
            moments.add(field("until"));
        }
        String[] watchers = fields.getOrDefault("watchers", "").split(" ");
        if (watchers.length > 1) {
            moments.add(Long.valueOf(watchers[2 * random.nextInt(watchers.length / 2) + 1]));
            moments.add(Long.valueOf(watchers[1]));
        }
        if (fields.containsKey("x") && field("x") - now() < SOON && oneIn(4)) {
            moments.add(field("x"));
        }
        return moments;
    }

    private long field(String name) {
        return Long.parseLong(fields.getOrDefault(name, "0"));
    }

    private long now() {
        return micros / 1_000;
    }

    private String request() {
        String owner = fields.getOrDefault("owner", KEPT);
        return oneIn(2) && !owner.equals(KEPT) ? owner : oneOf(voters) + ":" + random.nextInt(2);
    }

    /** Returns the first token of the present vote, one close to it, that of an earlier one, or 0. */
    private long firstToken() {
        long token = Math.max(1, field("token"));
        if ((token == 1 || field("until") <= now()) && oneIn(2)) {
            return field("fence") + random.nextInt(3); // perhaps of a vote that the server has forgotten
        }
        return switch (random.nextInt(6)) {
            case 0 -> Math.max(1, token - 1 + random.nextInt(3));
            case 1 -> oneOf(tokens);
            case 2 -> 0;
            default -> token;
        };
    }

    private long notAfter() {
        return oneIn(20) ? now() - 1 + random.nextInt(3) : Long.MAX_VALUE;
    }

    private Vote vote(String request, boolean watches) {
        return new Vote(LOCK, request, oneOf(LEASES), oneIn(4) ? 2_000 : 0, notAfter(), watches);
    }

    private Command<?> command() {
        String request = request();
        String plain = oneOf(List.of("a", "b", DEAD)) + ":9";
        long lease = oneOf(LEASES);
        long takeover = oneIn(4) ? 2_000 : 0;
        return switch (random.nextInt(40)) {
            case 0, 1, 2, 3, 4 -> new Raise(LOCK, request, firstToken(), field("token") + random.nextInt(2_000));
            case 5, 6, 7, 8, 9, 10, 11 -> giveBack(request);
            case 12, 13 ->
                new Command.Renew(
                        List.of(new Command.Renew.Item(LOCK, request, firstToken(), lease, takeover)), notAfter());
            case 14, 15 -> new Command.Restore(LOCK, request, firstToken(), lease, takeover, notAfter());
            case 16, 17 -> new ForceRelease(LOCK, oneIn(2) ? 0 : firstToken());
            case 18, 19 -> new Witness(oneOf(List.of("this", "this", "another", "")), random.nextInt(20) * 1_000L);
            case 20 -> new Command.Acquire(LOCK, plain, true, lease, takeover, notAfter());
            case 21, 22 -> new Command.Release(LOCK, request, firstToken(), field("fence"), 0, null);
            case 23, 24 -> new Command.Withdraw(LOCK, oneIn(2) ? plain : request, 0);
            default -> vote(oneIn(3) ? request : oneOf(voters) + ":0", !oneIn(4));
        };
    }

    private GiveBack giveBack(String request) {
        long first = firstToken();
        long last = first == 0 && oneIn(2)
                ? 0
                : Math.max(first, oneOf(List.of(first, first + 1, first + BLOCK_END, field("fence") + 1)));
        long blockEnd = oneOf(List.of(0L, field("fence"), field("fence") - 1, field("fence") + 1, first + BLOCK_END));
        return new GiveBack(LOCK, request, first, last, Math.max(0, blockEnd), oneIn(5) ? 500 : 0);
    }

    private void step(Command<?> command) throws Exception {
        trace.add((micros - START) / 1_000.0 + " ms " + command);
        if (trace.size() > TRACE) {
            trace.remove();
        }
        told.clear();
        String here = memory.time().run();
        Reply right = memory.execute(of(command, here));
        VoteDifferentialBed.Done done = site.execute(of(command, site.run()));
        part = "answer";
        assertThat(timeless(done.reply(), site.run()))
                .as("the answer to " + command)
                .isEqualTo(timeless(right, here));
        count(command, right);
        part = "message";
        assertThat(done.told().stream()
                        .filter(message -> !message.startsWith(DEAD))
                        .map(message -> message.replace(site.run(), "")))
                .as("the messages of " + command)
                .isEqualTo(
                        told.stream().map(message -> message.replace(here, "")).toList());
        part = "record";
        assertThat(timeless(done.lock(), site.run()))
                .as("the lock after " + command)
                .isEqualTo(timeless(memory.execute(new Query.Inspect(LOCK)), here));
        fields = VoteState.of(MemoryLocks.record(memory, LOCK));
        assertThat(statement(done.fields())).as("the fields after " + command).isEqualTo(fields);
        part = "time to live";
        if (fields.containsKey("x")) {
            assertThat(done.ttl()).as("the time to live after " + command).isEqualTo(field("x") - now());
        }
        if (right instanceof Reply.Witnessed witnessed && witnessed.watchedMillis() > longest) {
            longest = witnessed.watchedMillis();
            witnessExpiresAt = now() + WITNESS_MILLIS;
        }
        assertThat(done.uptimeTtl())
                .as("the time to live of the uptime after " + command)
                .isEqualTo(longest > 0 ? witnessExpiresAt - now() : site.timeOfAnotherRun());
        if (field("token") > 0) {
            tokens.add(field("token"));
        }
    }

    private static Command<?> of(Command<?> command, String run) {
        return command instanceof Witness witness && witness.run().equals("this")
                ? new Witness(run, witness.watchedMillis())
                : command;
    }

    /** Returns a reply as text, without the run of the server and without what only Redis says. */
    private static String timeless(Reply reply, String run) {
        return reply.toString().replace(run, "").replaceAll("uptimeMillis=\\d+", "");
    }

    private void count(Command<?> command, Reply right) {
        String what = command.getClass().getSimpleName();
        if (right instanceof Reply.Acquired answer) {
            what += " " + answer.verdict() + (answer.known() ? " known" : "");
        } else if (right instanceof Reply.Released answer) {
            what += " " + answer.outcome();
        } else if (right instanceof Reply.Raised answer) {
            what += answer.accepted() ? " accepted" : " refused";
        } else if (right instanceof Reply.Restored answer) {
            what += " " + answer.outcome();
        } else if (right instanceof Reply.Forced answer) {
            what += answer.released() ? " taken" : " not taken";
        }
        counts.merge(what, 1, Integer::sum);
        long notices =
                told.stream().filter(message -> message.contains("Freed")).count();
        if (notices > 0) {
            counts.merge(notices < LockBackend.WATCHERS_TOLD ? "some told" : "the most told", 1, Integer::sum);
        }
        int watchers = fields.getOrDefault("watchers", "").split(" ").length / 2;
        if (watchers == LockBackend.WATCHERS) {
            counts.merge("the most watchers", 1, Integer::sum);
        }
    }

    /** Returns the fields that state something about the vote. */
    private static Map<String, String> statement(Map<String, String> found) {
        Map<String, String> fields = new TreeMap<>();
        String owner = found.getOrDefault("owner", "");
        for (String name : List.of("owner", "until", "token", "fence", "watchers", "x")) {
            boolean means = switch (name) {
                case "owner", "until" -> !owner.isEmpty();
                case "token" -> !owner.isEmpty() && !owner.equals(KEPT);
                default -> true;
            };
            if (means && found.containsKey(name)) {
                fields.put(name, found.get(name));
            }
        }
        return fields;
    }

    /** Returns the part that differed, or that there was no answer. */
    @Override
    public String difference(Throwable failure) {
        return failure instanceof AssertionError ? part : "no answer";
    }

    @Override
    public String toString() {
        return String.join("\n", trace);
    }
}
