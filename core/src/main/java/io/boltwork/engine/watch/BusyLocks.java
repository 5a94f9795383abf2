// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.watch;

import io.boltwork.LockKind;
import io.boltwork.engine.drive.LockDriver;
import io.boltwork.engine.drive.LockDrivers;
import io.boltwork.engine.drive.LockKey;
import io.boltwork.engine.drive.UseReports;
import io.boltwork.spi.LockUsage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Finds the locks that this client uses most, and counts what they are used for. {@link #takeCounts} is called by the
 * heartbeat; {@link #busiest} is for any thread.
 */
public final class BusyLocks {

    /*
     * The machine of a lock counts in its mailbox (LockUse), so counting costs additions, and no two names meet.
     * UseReports brings the counts here: at the first use, then once a second while the lock is used, and when the
     * driver retires. A look asks the locks that are known here for what they have counted since, so it is never old.
     *
     * Names may come by the million and be used once. Therefore only KEPT of them are counted: those with the highest
     * scores. A score decays, so it is the use of the last seconds. A report has the turns of a second, so one is
     * enough to compare a newcomer with the others. That differs from counting single events with bounded memory, as
     * Space-Saving does (Metwally, Agrawal, El Abbadi 2005), where a newcomer must inherit the score of the one that it
     * replaces. The numbers are exact since the name came here.
     */

    /** The most locks that are counted. */
    public static final int KEPT = 256;

    /** The most locks that are announced. */
    static final int ANNOUNCED = 20;

    /** The most bytes that the announced locks take together. */
    static final int MOST_BYTES = 2_048;

    /** The factor of a score at each heartbeat: about half is left after seven of them. */
    private static final double DECAY = 0.9;

    /** A wait of this time counts as much as a turn. */
    private static final double WAIT_OF_A_TURN = TimeUnit.MILLISECONDS.toNanos(1);

    private static final Comparator<Entry> BUSIEST_FIRST = Comparator.comparingDouble((Entry entry) -> -entry.score)
            .thenComparing(entry -> -entry.turns)
            .thenComparing(entry -> entry.key.name);

    private final LockDrivers drivers;
    private final Map<Key, Entry> entries = new HashMap<>();

    /** No score is lower than this. */
    private double lowest;

    private volatile List<LockUsage> busiest = List.of();

    /** The locks that were announced last. */
    private volatile List<LockUsage> announced = List.of();

    private record Key(LockKind kind, String name) {}

    /** A lock that is counted. */
    private static final class Entry {
        final Key key;
        double score;
        long turns;
        long waitedNanos;
        long heldNanos;

        Entry(Key key) {
            this.key = key;
        }

        void add(UseReports.Report report) {
            score += report.turns() + report.waitedNanos() / WAIT_OF_A_TURN;
            turns += report.turns();
            waitedNanos += report.waitedNanos();
            heldNanos += report.heldNanos();
        }

        void decay() {
            score *= DECAY;
        }
    }

    public BusyLocks(LockDrivers drivers) {
        this.drivers = drivers;
    }

    /** Takes what was counted since the last look. Called by the heartbeat. */
    public void takeCounts() {
        entries.values().forEach(Entry::decay);
        lowest = 0;
        List<UseReports.Report> reports = new ArrayList<>(drivers.useReports.takeAll()); // first: it makes room
        for (Key key : entries.keySet()) {
            drivers.postIfInUse(LockKey.of(key.kind, key.name), LockDriver::reportUse);
        }
        reports.addAll(drivers.useReports.takeAll());
        add(reports);
        busiest = chosen();
    }

    private int waiting(Key key) {
        LockDriver driver = drivers.driver(LockKey.of(key.kind, key.name));
        return driver == null ? 0 : driver.machine.waiting();
    }

    private void add(List<UseReports.Report> reports) {
        for (UseReports.Report report : reports) {
            Key key = new Key(report.kind(), report.lock());
            Entry known = entries.get(key);
            Entry entry = known == null ? new Entry(key) : known;
            entry.add(report);
            if (known == null && hasRoom(entry.score)) {
                entries.put(key, entry);
            }
        }
    }

    /**
     * Returns whether there is room for a lock with that score. Removes the one that is used least, if it is used less.
     */
    private boolean hasRoom(double score) {
        if (entries.size() < KEPT) {
            return true;
        }
        if (score <= lowest) { // very many names are used once
            return false;
        }
        Entry least = Collections.min(entries.values(), Comparator.comparingDouble(entry -> entry.score));
        lowest = least.score;
        return score > lowest && entries.remove(least.key, least);
    }

    /** Returns the busiest locks, as many as may be announced. A lock whose name is too long is left out. */
    private List<LockUsage> chosen() {
        List<Entry> all = new ArrayList<>(entries.values());
        all.sort(BUSIEST_FIRST);
        List<LockUsage> chosen = new ArrayList<>();
        int room = MOST_BYTES;
        for (Entry entry : all) {
            if (chosen.size() == ANNOUNCED) {
                break;
            }
            LockUsage usage = usage(entry);
            if (usage.size() <= room) {
                room -= usage.size();
                chosen.add(usage);
            }
        }
        return List.copyOf(chosen);
    }

    private LockUsage usage(Entry entry) {
        return new LockUsage(
                entry.key.kind,
                entry.key.name,
                entry.turns,
                waiting(entry.key),
                TimeUnit.NANOSECONDS.toMicros(entry.waitedNanos),
                TimeUnit.NANOSECONDS.toMicros(entry.heldNanos));
    }

    // ================================================================ announcing

    /** Returns whether the announced locks or their numbers have changed since {@link #announce}. */
    boolean hasNews() {
        return !busiest.equals(announced);
    }

    /** Returns how many locks are counted. */
    int kept() {
        return entries.size();
    }

    /** Returns the busiest locks, which are announced now. */
    List<LockUsage> announce() {
        List<LockUsage> now = busiest;
        announced = now;
        return now;
    }
}
