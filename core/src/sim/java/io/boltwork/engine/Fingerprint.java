// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.Lock;

/**
 * A number for the state of a simulated world, equal for states that cannot be distinguished: all fields of all objects
 * that can be reached, moments as distances from now, tokens by their order. Counts and records are left out.
 */
final class Fingerprint {

    private static final Map<Class<?>, Field[]> FIELDS = new ConcurrentHashMap<>();
    /** Counts, and records of holds and requests that have ended, which checks need only for their messages. */
    static final Set<String> UNIMPORTANT = Set.of(
            "SimulationHistory.holds",
            "SimulationHistory.handovers",
            "SimulationHistory.losses",
            "SimulationHistory.failures",
            "SimulationHistory.restores",
            "SimulationHistory.calls",
            "SimulationHistory.pendingCalls",
            "SimulationHistory.released",
            "SimulationHistory.arrivals",
            "ObservedLock.grants",
            "ObservedLock.byToken",
            "BoundedBypassCheck.firstHolds",
            "ObservedLock.notHeld",
            "SharedLockHistory.granted",
            "SharedLockHistory.known",
            "VirtualTime$Event.number",
            "LeaseLoss.when",
            "SimulatedCluster.before",
            "SimulatedLock.copy",
            "SimulatedLock.newest",
            "SimulatedServer.commands",
            "SimulatedClient.lateBytes",
            "SimulatedClient.madeIds",
            "Announcer.nonces",
            "Announcer.nonce",
            "LockState.use",
            "LockState.firstWaits",
            "UseReports.newest",
            "BusyLocks.entries",
            "BusyLocks.lowest",
            "BusyLocks.busiest",
            "BusyLocks.announced",
            "ClientRecord.busiest",
            "LeaseRenewer.quietUntil",
            "LockState.lastEvent",
            "LockState.roundTrip");

    /** The id of a server's run is a random UUID. */
    private static final int RUN_ID_LENGTH = 36;

    /** Tokens are microseconds since 1970: 2026 and a little. */
    private static final long LEAST_TOKEN = 1_700_000_000_000_000L;

    private static final long MOST_TOKEN = 2_000_000_000_000_000L;
    private static final long LEAST_MILLIS = LEAST_TOKEN / 1_000;
    private static final long MOST_MILLIS = MOST_TOKEN / 1_000;

    private final long now;
    private final long[] clocks;
    private final long serverMillis;
    private final IdentityHashMap<Object, Integer> seen = new IdentityHashMap<>();
    private final List<Long> tokens = new ArrayList<>();
    private final List<Integer> tokensAt = new ArrayList<>();
    private final Map<String, Integer> runs = new HashMap<>();

    /** The types outside of this project whose objects were not opened. */
    private final Set<Class<?>> closed = new HashSet<>();

    private long[] words = new long[1_024];
    private int size;

    private Fingerprint(Simulation simulation) {
        now = simulation.time.now();
        clocks = simulation.clients().stream().mapToLong(SimulatedClient::clock).toArray();
        serverMillis = simulation.cluster.servers().get(0).time().millis();
    }

    static long of(Simulation simulation, List<Object> others) {
        return read(simulation, others).hash();
    }

    /** Returns the types whose objects count as equal, whatever they contain. */
    static Set<Class<?>> closedTypes(Simulation simulation, List<Object> others) {
        return read(simulation, others).closed;
    }

    private static Fingerprint read(Simulation simulation, List<Object> others) {
        Fingerprint print = new Fingerprint(simulation);
        print.add(simulation.cluster);
        print.add(simulation.checks);
        print.add(simulation.clients());
        print.add(others);
        return print;
    }

    private long hash() {
        long[] sorted =
                tokens.stream().mapToLong(Long::longValue).sorted().distinct().toArray();
        for (int i = 0; i < tokens.size(); i++) {
            words[tokensAt.get(i)] = Arrays.binarySearch(sorted, tokens.get(i));
        }
        long hash = size;
        for (int i = 0; i < size; i++) {
            hash = (hash ^ words[i]) * 0x9E3779B97F4A7C15L;
            hash ^= hash >>> 29;
        }
        return hash;
    }

    private void word(long value) {
        if (size == words.length) {
            words = Arrays.copyOf(words, 2 * size);
        }
        words[size++] = value;
    }

    private void number(long value) {
        if (value >= LEAST_TOKEN && value < MOST_TOKEN) {
            tokens.add(value);
            tokensAt.add(size);
            word(0);
        } else if (value >= LEAST_MILLIS && value < MOST_MILLIS) {
            word(value - serverMillis);
        } else if (Math.abs(value - now) < 1_000 * Plan.SECOND) {
            word(value - now);
        } else {
            for (long clock : clocks) {
                if (Math.abs(value - clock) < 1_000 * Plan.SECOND) {
                    word(value - clock);
                    return;
                }
            }
            word(value);
        }
    }

    private void add(Object value) {
        if (value == null) {
            word(-1);
        } else if (value instanceof Number number && value.getClass().getName().startsWith("java.lang")) {
            number(number.longValue());
        } else if (value instanceof String text && text.length() == RUN_ID_LENGTH) {
            word(runs.computeIfAbsent(text, run -> runs.size()));
        } else if (value instanceof String
                || value instanceof Enum
                || value instanceof Boolean
                || value instanceof Character) {
            word(value.toString().hashCode());
        } else {
            Integer before = seen.putIfAbsent(value, seen.size());
            if (before != null) {
                word(before);
            } else {
                word(value.getClass().getName().replaceAll("[0-9/]", "").hashCode());
                open(value);
            }
        }
    }

    private void open(Object value) {
        if (value instanceof SimulatedThread thread) {
            word(thread.place());
        }
        if (value instanceof Map<?, ?> map) {
            addMap(map);
        } else if (value instanceof Collection<?> collection) {
            word(collection.size());
            collection.forEach(this::add);
        } else if (value instanceof AtomicReference<?> reference) {
            add(reference.get());
        } else if (value instanceof AtomicLong number) {
            number(number.get());
        } else if (value instanceof AtomicInteger number) {
            word(number.get());
        } else if (value instanceof Duration duration) {
            word(duration.toNanos());
        } else if (value instanceof Instant instant) {
            number(instant.toEpochMilli());
        } else if (value instanceof Optional<?> maybe) {
            add(maybe.orElse(null));
        } else if (value instanceof BitSet set) {
            word(set.hashCode());
        } else if (value instanceof AtomicBoolean flag) {
            word(flag.get() ? 1 : 0);
        } else if (value instanceof AtomicReferenceArray<?> array) {
            for (int i = 0; i < array.length() && array.get(i) != null; i++) {
                add(array.get(i));
            }
        } else if (value.getClass().isArray()) {
            for (int i = 0; i < Array.getLength(value); i++) {
                add(Array.get(value, i));
            }
        } else if (value.getClass().getName().startsWith("io.boltwork") && !isUnimportant(value)) {
            for (Field field : fields(value.getClass())) {
                try {
                    add(field.get(value));
                } catch (IllegalAccessException e) {
                    throw new IllegalStateException(e);
                }
            }
        } else if (value instanceof Future<?> future) {
            word(future.isDone() ? 1 : 0);
        } else if (!isUnimportant(value)) {
            closed.add(value.getClass());
        }
    }

    /** Adds the elements in an order that does not depend on identity hash codes. */
    private void addMap(Map<?, ?> map) {
        word(map.size());
        map.forEach((key, element) -> {
            add(key);
            add(element);
        });
    }

    private static boolean isUnimportant(Object value) {
        return value instanceof Random
                || value instanceof Thread
                || value instanceof Lock
                || value instanceof Timeline
                || value instanceof VirtualTime
                || value instanceof Simulation
                || value instanceof SmallCase
                || value instanceof Plan;
    }

    /** Returns the name of a type within its room. */
    private static String nameOf(Class<?> type) {
        return type.getName().substring(type.getPackageName().length() + 1);
    }

    private static Field[] fields(Class<?> type) {
        return FIELDS.computeIfAbsent(type, Fingerprint::find);
    }

    private static Field[] find(Class<?> type) {
        List<Field> fields = new ArrayList<>();
        for (Class<?> t = type; t != null && t.getName().startsWith("io.boltwork"); t = t.getSuperclass()) {
            for (Field field : t.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers())
                        && !UNIMPORTANT.contains(nameOf(t) + "." + field.getName())) {
                    field.setAccessible(true);
                    fields.add(field);
                }
            }
        }
        return fields.toArray(new Field[0]);
    }
}
