// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi.rules;

import io.boltwork.spi.LatchCommand;
import io.boltwork.spi.LatchOpened;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/** The server of a simulated latch, whose replica is behind, and the truth about what has happened to the latch. */
public final class LatchAtServer {

    private static final long MICROS_PER_MILLI = 1_000;

    private LatchRecord record = new LatchRecord();
    private int run = 1;

    /** Earlier states, the oldest first, with their times. */
    private final ArrayDeque<Map.Entry<Long, LatchRecord>> before = new ArrayDeque<>();

    /** The count that was set, and the changes that were counted at any server, by generation. */
    private final Map<Long, Integer> counts = new HashMap<>();

    private final Map<Long, Set<String>> counted = new HashMap<>();
    private final Map<Long, Long> ended = new HashMap<>(); // with its time
    private final Set<String> setters = new HashSet<>();
    private long lastOpen = -1;

    /** Set once anything was lost that a server had confirmed. */
    public boolean isLossy;

    /** Returns the name of the run of the server. */
    public String run() {
        return "run" + run;
    }

    public Reply.Latched execute(LatchCommand command, long micros, BiConsumer<String, LatchOpened> publish) {
        long millis = micros / MICROS_PER_MILLI;
        if (record.expiresAt < millis) {
            record = new LatchRecord();
        }
        before.add(Map.entry(micros, record.copy()));
        while (before.size() > 1 && before.peek().getKey() < micros - 20_000_000) {
            before.remove();
        }
        LatchRecord old = record.copy();
        LatchRules rules = new LatchRules(new ServerTime(millis, run()), micros, publish);
        Reply.Latched reply = apply(rules, command);
        note(command, old, micros);
        return reply;
    }

    private Reply.Latched apply(LatchRules rules, LatchCommand command) {
        if (command instanceof LatchCommand.SetCount set) {
            return rules.setCount(record, set);
        } else if (command instanceof LatchCommand.CountDown countDown) {
            return rules.countDown(record, countDown);
        }
        return rules.await(record, (LatchCommand.Await) command);
    }

    private void note(LatchCommand command, LatchRecord old, long micros) {
        if (record.generation != old.generation) {
            counts.putIfAbsent(record.generation, record.count);
            setters.add(record.setters.getLast());
        }
        if (command instanceof LatchCommand.CountDown countDown && record.count < old.count) {
            Set<String> ids = counted.computeIfAbsent(record.generation, fresh -> new LinkedHashSet<>());
            ids.add(countDown.id());
            if (record.count == 0) {
                ended.put(record.generation, micros);
                if (ids.size() < counts.get(record.generation)) {
                    throw new AssertionError(
                            "ended by too few changes: " + ids + " of " + counts.get(record.generation));
                }
            }
        }
        if (!ended.keySet().containsAll(record.ended)) {
            throw new AssertionError(command + " ended a generation that had not ended: " + old);
        }
        if (record.generation > 0 && record.count == 0) {
            lastOpen = micros;
        }
    }

    /** Forgets everything. */
    public void flush() {
        record = new LatchRecord();
        before.clear();
        isLossy = true;
    }

    /** Lets a replica take over that is that far behind. */
    public void failOver(long micros, long behind) {
        for (Map.Entry<Long, LatchRecord> entry : before) {
            if (entry.getKey() >= micros - behind) {
                isLossy |= !entry.getValue().toString().equals(record.toString());
                record = entry.getValue().copy();
                break;
            }
        }
        before.clear();
        run++;
    }

    /** Returns whether a generation has ended at any server. */
    public boolean hasEnded(long generation) {
        return ended.containsKey(generation);
    }

    /** Returns whether a change has set the count at any server. */
    public boolean wasSetBy(String id) {
        return setters.contains(id);
    }

    /** Returns when a generation ended, in microseconds. */
    public long endOf(long generation) {
        return ended.get(generation);
    }

    /** Returns whether the latch was open at that time or later. */
    public boolean wasOpenSince(long micros) {
        return lastOpen >= micros || record.generation > 0 && record.count == 0;
    }

    /** Returns the generations in which a change was counted, in their order. */
    public List<Long> generationsOf(String id) {
        return counted.entrySet().stream()
                .filter(entry -> entry.getValue().contains(id))
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
    }

    public int count() {
        return record.count;
    }

    public long generation() {
        return record.generation;
    }

    @Override
    public String toString() {
        return run() + " " + record;
    }
}
