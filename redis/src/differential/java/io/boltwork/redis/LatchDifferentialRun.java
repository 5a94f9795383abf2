// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static io.boltwork.redis.LatchDifferentialBed.CLIENTS;
import static io.boltwork.redis.LatchDifferentialBed.LATCH;
import static io.boltwork.redis.LatchDifferentialBed.timeless;
import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.IdleLife;
import io.boltwork.spi.LatchCommand;
import io.boltwork.spi.LatchOpened;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Latched;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.rules.LatchRecord;
import io.boltwork.spi.rules.LatchRules;
import io.boltwork.spi.rules.LatchState;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * One random sequence of commands to a latch, on an empty server: a Redis whose clock stands still and a record in
 * memory must agree on every answer, every message, and after every step on the whole record and its expiry.
 */
final class LatchDifferentialRun implements DifferentialSequence {
    private static final long START = Instant.parse("2026-01-01T00:00:00Z").toEpochMilli() * 1_000;
    private static final int STEPS = 150;
    private static final int TRACE = 40;

    /** The time to live of a key that does not exist. */
    private static final long NO_KEY = -2;

    private final LatchDifferentialBed site;
    private final Map<String, Integer> counts;
    private final Random random;
    private final ArrayDeque<String> trace = new ArrayDeque<>();
    private final List<Long> generations = new ArrayList<>();
    private final Map<String, List<LatchOpened>> expected = new HashMap<>();
    private final boolean isLong;
    private LatchRecord record = new LatchRecord();
    private long micros = START;
    private String part = "";

    LatchDifferentialRun(LatchDifferentialBed site, long seed, Map<String, Integer> counts) throws Exception {
        this.site = site;
        this.counts = counts;
        this.random = new Random(seed * 0x9E3779B97F4A7C15L); // seeds in a row are alike
        this.isLong = random.nextInt(4) == 0; // more generations than a record remembers
        CLIENTS.forEach(client -> expected.put(client, new ArrayList<>()));
        generations.add(1L);
        pass(0);
        site.flush();
    }

    @Override
    public void execute() throws Exception {
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
        site.clock().set(micros);
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
        part = "answer";
        Reply reply = site.send(command, random.nextInt(CLIENTS.size()));
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
        part = "message";
        for (String client : CLIENTS) {
            for (LatchOpened message : expected.get(client)) {
                assertThat(site.next(client))
                        .as("a message to " + client + " of " + command)
                        .isEqualTo(message);
                counts.merge("Opened", 1, Integer::sum);
            }
            expected.get(client).clear();
            assertThat(site.others(client)).as("other messages to " + client).isEmpty();
        }
    }

    private void compareState(LatchCommand command) throws Exception {
        part = "record";
        Map<String, String> fields = site.fields();
        Map<String, String> right = record.isBlank() ? Map.of() : LatchState.of(record);
        fields.values().removeIf(value -> value.equals("0"));
        fields.entrySet()
                .removeIf(field -> field.getValue().isEmpty() && !field.getKey().startsWith("i:"));
        assertThat(fields).as("the fields after " + command).isEqualTo(right);
        part = "time to live";
        assertThat(site.timeToLive())
                .as("the time to live after " + command)
                .isEqualTo(right.isEmpty() ? NO_KEY : record.expiresAt() - now());
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
