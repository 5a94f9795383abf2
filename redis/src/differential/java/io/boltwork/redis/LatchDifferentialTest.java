package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.spi.BackendListener;
import io.boltwork.spi.Grant;
import io.boltwork.spi.IdleLife;
import io.boltwork.spi.LatchCommand;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Opened;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Latched;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.rules.LatchRecord;
import io.boltwork.spi.rules.LatchRules;
import io.boltwork.spi.rules.LatchState;
import io.boltwork.testkit.Slack;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Compares the rules of latches in Java with the scripts: a Redis whose clock stands still and a record in memory must
 * agree on every answer, every message, and after every step on the whole record and its expiry.
 */
class LatchDifferentialTest {

    private static final int SEQUENCES = Integer.getInteger("boltwork.sequences", 40);
    private static final long START = Instant.parse("2026-01-01T00:00:00Z").toEpochMilli() * 1_000;
    private static final Duration PATIENCE = Slack.seconds(10);
    private static final String LATCH = "a {latch}: 100 %";
    private static final String KEY = "boltwork:latch:{a %7Blatch%7D: 100 %25}";
    private static final List<String> CLIENTS = List.of("client", "another", "client-2");
    private static final int STEPS = 150;
    private static final int TRACE = 40;

    private final Map<String, BlockingQueue<Opened>> heard = new LinkedHashMap<>();
    private final List<LockBackend> backends = new ArrayList<>();

    /** Hears the messages of one client. */
    private record Ear(BlockingQueue<Opened> heard) implements BackendListener {
        @Override
        public void granted(Grant grant) {}

        @Override
        public void opened(Opened opened) {
            heard.add(timeless(opened));
        }

        @Override
        public void connected(ServerTime server) {}

        @Override
        public void disconnected(Throwable cause) {}
    }

    private static Opened timeless(Opened opened) {
        return new Opened(
                opened.latch(),
                opened.generation(),
                new ServerTime(opened.server().millis(), ""));
    }

    @Test
    void redisAndTheRulesAnswerAlike() throws Exception {
        Optional<SteppedRedis> started = SteppedRedis.start();
        assumeTrue(
                started.isPresent(),
                "SKIPPED: a server's clock that stands still needs libfaketime (Debian: faketime), which is not installed");
        long first = Long.getLong("boltwork.seed", ThreadLocalRandom.current().nextLong());
        Map<String, Integer> counts = new TreeMap<>();
        try (SteppedRedis redis = started.get()) {
            for (String client : CLIENTS) {
                heard.put(client, new LinkedBlockingQueue<>());
                LockBackend backend = RedisBackend.connect(redis.uri() + "?timeout=30s");
                backends.add(backend);
                backend.open(client, new Ear(heard.get(client)));
            }
            for (long seed = first; seed < first + SEQUENCES; seed++) {
                Run run = new Run(redis, seed, counts);
                try {
                    run.execute();
                } catch (AssertionError e) {
                    throw new AssertionError(
                            "-Dboltwork.seed=" + seed + ": " + e.getMessage() + "\nThe last commands:\n"
                                    + String.join("\n", run.trace),
                            e);
                }
            }
        } finally {
            backends.forEach(LockBackend::close);
        }
        System.out.println(counts);
        assertThat(counts.keySet())
                .contains(
                        "SetCount DONE",
                        "SetCount OPEN",
                        "SetCount REFUSED",
                        "SetCount STALE",
                        "CountDown DONE",
                        "CountDown OPEN",
                        "CountDown UNKNOWN",
                        "CountDown STALE",
                        "Await OPEN",
                        "Await CLOSED",
                        "Await UNKNOWN",
                        "Opened");
    }

    /** One random sequence of commands on an empty server. */
    private final class Run {
        private final SteppedRedis redis;
        private final Map<String, Integer> counts;
        private final Random random;
        private final RedisAsyncCommands<byte[], byte[]> raw =
                DifferentialSite.connection(backends.get(0)).lettuce();
        private final ArrayDeque<String> trace = new ArrayDeque<>();
        private final List<Long> generations = new ArrayList<>();
        private final Map<String, List<Opened>> expected = new HashMap<>();
        private final boolean isLong;
        private LatchRecord record = new LatchRecord();
        private long micros = START;

        Run(SteppedRedis redis, long seed, Map<String, Integer> counts) throws Exception {
            this.redis = redis;
            this.counts = counts;
            this.random = new Random(seed * 0x9E3779B97F4A7C15L); // seeds in a row are alike
            this.isLong = random.nextInt(4) == 0; // more generations than a record remembers
            CLIENTS.forEach(client -> expected.put(client, new ArrayList<>()));
            generations.add(1L);
            pass(0);
            await(raw.flushall());
        }

        void execute() throws Exception {
            for (int i = 0; i < STEPS * (isLong ? 3 : 1); i++) {
                step(command());
                pass(oneIn(8) ? random.nextInt(10_000_000) : random.nextInt(3));
                if (oneIn(60)) {
                    pass(IdleLife.LATCH_MILLIS * 1_000 - 1_000 + random.nextInt(3) * 1_000L);
                }
            }
        }

        private boolean oneIn(int many) {
            return random.nextInt(many) == 0;
        }

        private void pass(long more) throws Exception {
            micros += more;
            redis.set(micros);
        }

        private long now() {
            return micros / 1_000;
        }

        private long generation() {
            return oneIn(3)
                    ? generations.get(random.nextInt(generations.size())) + random.nextInt(2)
                    : generations.get(generations.size() - 1);
        }

        private LatchCommand command() {
            String id = "id" + random.nextInt(6);
            long notAfter = oneIn(12) ? now() - 1 + random.nextInt(2) : Long.MAX_VALUE;
            long generation = oneIn(4) ? generation() : 0;
            return switch (random.nextInt(isLong ? 6 : 8)) {
                case 0, 1 ->
                    new LatchCommand.SetCount(
                            LATCH,
                            oneIn(3) ? id : "set" + micros,
                            1 + random.nextInt(isLong ? 1 : 4),
                            generation,
                            generation > 0 && !oneIn(3) ? generation() : 0,
                            notAfter);
                case 2, 3, 4 ->
                    new LatchCommand.CountDown(
                            LATCH,
                            oneIn(2) ? id : "count" + micros,
                            generation,
                            oneIn(5) ? generation() : Long.MAX_VALUE,
                            notAfter);
                default ->
                    new LatchCommand.Await(
                            LATCH, oneIn(8) ? "" : CLIENTS.get(random.nextInt(CLIENTS.size())), generation, !oneIn(4));
            };
        }

        private void step(LatchCommand command) throws Exception {
            trace.add((micros - START) / 1_000.0 + " ms " + command);
            if (trace.size() > TRACE) {
                trace.remove();
            }
            if (record.expiresAt() < now()) {
                record = new LatchRecord();
            }
            LatchRules rules = new LatchRules(
                    new ServerTime(now(), ""),
                    micros,
                    (client, opened) -> expected.get(client).add(timeless(opened)));
            Latched right = apply(rules, command);
            CompletableFuture<Reply> answer = new CompletableFuture<>();
            backends.get(random.nextInt(backends.size())).send(command, answer::complete);
            Reply reply = await(answer);
            assertThat(reply).as("the answer to " + command).isInstanceOf(Latched.class);
            Latched found = (Latched) reply;
            assertThat(new Latched(
                            new ServerTime(found.server().millis(), ""),
                            found.outcome(),
                            found.count(),
                            found.generation(),
                            found.before()))
                    .as("the answer to " + command)
                    .isEqualTo(right);
            counts.merge(command.getClass().getSimpleName() + " " + right.outcome(), 1, Integer::sum);
            if (right.generation() > 0 && !generations.contains(right.generation())) {
                generations.add(right.generation());
            }
            compareMessages(command);
            compareState(command);
        }

        private Latched apply(LatchRules rules, LatchCommand command) {
            if (command instanceof LatchCommand.SetCount set) {
                return rules.setCount(record, set);
            } else if (command instanceof LatchCommand.CountDown countDown) {
                return rules.countDown(record, countDown);
            }
            return rules.await(record, (LatchCommand.Await) command);
        }

        private void compareMessages(LatchCommand command) throws Exception {
            for (String client : CLIENTS) {
                for (Opened message : expected.get(client)) {
                    assertThat(heard.get(client).poll(PATIENCE.toMillis(), TimeUnit.MILLISECONDS))
                            .as("a message to " + client + " of " + command)
                            .isEqualTo(message);
                    counts.merge("Opened", 1, Integer::sum);
                }
                expected.get(client).clear();
                assertThat(heard.get(client)).as("other messages to " + client).isEmpty();
            }
        }

        private void compareState(LatchCommand command) throws Exception {
            Map<String, String> fields = new TreeMap<>();
            await(raw.hgetall(bytes(KEY))).forEach((name, value) -> fields.put(text(name), text(value)));
            Map<String, String> right = record.isBlank() ? Map.of() : LatchState.of(record);
            fields.values().removeIf(value -> value.equals("0"));
            fields.entrySet()
                    .removeIf(field ->
                            field.getValue().isEmpty() && !field.getKey().startsWith("i:"));
            assertThat(fields).as("the fields after " + command).isEqualTo(right);
            if (!right.isEmpty()) {
                assertThat(await(raw.pttl(bytes(KEY))))
                        .as("the time to live after " + command)
                        .isEqualTo(record.expiresAt() - now());
            }
        }

        private <T> T await(CompletionStage<T> stage) throws Exception {
            return stage.toCompletableFuture().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
