// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi.rules;

import io.boltwork.LockKind;
import io.boltwork.memory.MemoryServer;
import io.boltwork.spi.rules.WaitQueue.QueuedRequest;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The whole record of a shared lock, as the fields of the hash in Redis. {@code share.lua} and {@code ring.lua}
 * describe them. Fields that state nothing are left out, and so is the time at which a mark entered the queue, which
 * only people read.
 */
public final class ShareState {
    private static final Set<String> NOTHING = Set.of("", "0");

    private ShareState() {}

    /** Returns the fields of a hash, without those that state nothing. */
    public static Map<String, String> of(Map<String, String> hash) {
        Map<String, String> fields = new TreeMap<>();
        hash.forEach((name, value) -> {
            boolean isMark = name.matches("q\\d+") && value.startsWith("- 0 ");
            put(fields, name, isMark ? value.replaceFirst("^- 0 \\d+", "- 0") : value);
        });
        fields.remove("lapsed", "0 0 0");
        return fields;
    }

    /**
     * Returns the fields of a lock at a memory server, which has no way to read them otherwise.
     *
     * @param now the server's clock, in milliseconds
     */
    public static Map<String, String> of(MemoryServer server, LockKind kind, String lock, long now)
            throws ReflectiveOperationException {
        ShareRecord record = record(server, kind, lock, now);
        Map<String, String> fields = new TreeMap<>();
        put(fields, "capacity", record.capacity);
        put(fields, "set", record.set);
        put(fields, "used", record.used);
        put(fields, "soon", time(record.soon));
        put(fields, "claims", record.claims);
        put(fields, "fence", record.fence);
        put(fields, "all", record.all);
        put(fields, "n", record.entries().size());
        put(fields, "at", field(record, "next"));
        put(fields, "least", time((Long) field(record, "least")));
        put(fields, "blocker", record.blocker == null ? "" : record.blockerAsked + " " + record.blocker);
        put(fields, "x", record.expiresAt);
        int index = 0;
        for (ShareRecord.Entry entry : record.entries()) {
            put(fields, "e" + ++index, entry.id);
            put(fields, "h" + entry.id, index + " " + text(entry));
        }
        addQueue(fields, record.queue);
        return fields;
    }

    /** Sets when the record of a lock at a memory server expires, if it exists; both times in milliseconds. */
    public static void expire(MemoryServer server, LockKind kind, String lock, long now, long expiresAt)
            throws ReflectiveOperationException {
        record(server, kind, lock, now).expiresAt = expiresAt; // a blank record is not stored
    }

    private static ShareRecord record(MemoryServer server, LockKind kind, String lock, long now)
            throws ReflectiveOperationException {
        Object data = field(server, "data");
        Object keys = call(data, data.getClass().getDeclaredMethod("shared", LockKind.class), kind);
        Method get = keys.getClass().getDeclaredMethod("get", String.class, long.class);
        return (ShareRecord) call(keys, get, lock, now);
    }

    private static String text(ShareRecord.Entry entry) {
        String claim = entry.claim ? "1" : "-";
        if (entry.shortClaim != null) {
            QueuedRequest queued = entry.shortClaim;
            claim = queued.again() ? "2" : queued.takeoverMillis() + "/" + queued.sinceMillis();
        }
        return entry.weight + " " + entry.token + " " + entry.blockEnd + " " + entry.until + " " + entry.leaseMillis
                + " " + claim;
    }

    private static void addQueue(Map<String, String> fields, WaitQueue queue) throws ReflectiveOperationException {
        put(fields, "head", field(queue, "head"));
        put(fields, "tail", field(queue, "tail"));
        String lapsed = field(queue, "shortUntil") + " " + field(queue, "lapsedAt") + " " + field(queue, "lastMark");
        put(fields, "lapsed", lapsed.equals("0 0 0") ? "" : lapsed);
        ((Map<?, ?>) field(queue, "entries")).forEach((place, value) -> {
            QueuedRequest entry = (QueuedRequest) value;
            put(
                    fields,
                    "q" + place,
                    entry.leaseMillis() + (entry.again() ? "* " : " ") + entry.takeoverMillis() + "/" + entry.weight()
                            + " " + entry.sinceMillis() + " " + entry.request());
        });
        ((Map<?, ?>) field(queue, "places")).forEach((request, place) -> put(fields, "r" + request, place));
        ((Map<?, ?>) field(queue, "marks")).forEach((place, client) -> put(fields, "q" + place, "- 0 " + client));
        ((Map<?, ?>) field(queue, "gone")).forEach((client, place) -> put(fields, "gone:" + client, place));
        ((Set<?>) field(queue, "late")).forEach(client -> put(fields, "late:" + client, 1));
    }

    private static String time(long millis) {
        return millis == ShareRecord.NEVER ? "" : Long.toString(millis);
    }

    private static void put(Map<String, String> fields, String name, Object value) {
        String text = value.toString();
        if (!NOTHING.contains(text)) {
            fields.put(name, text);
        }
    }

    private static Object field(Object owner, String name) throws ReflectiveOperationException {
        Field field = owner.getClass().getDeclaredField(name);
        open(field);
        return field.get(owner);
    }

    private static Object call(Object owner, Method method, Object... arguments) throws ReflectiveOperationException {
        open(method);
        return method.invoke(owner, arguments);
    }

    private static void open(AccessibleObject member) {
        member.setAccessible(true);
    }
}
