// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.acquire;

import io.boltwork.spi.Printable;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/*
 * Meters receive only the name of a lock, while annotations and templates declare its group. A table of fixed size
 * therefore remembers the declared groups of the most recently used names.
 */
/**
 * The groups of locks in meters and observations: {@code stock} for {@code stock:1001}. Their number is bounded.
 * Thread-safe.
 */
public final class LockGroups {
    static final String OTHER = "other";

    /** Must be a power of two. */
    private static final int NAMES = 4_096;

    private final int most;
    private final List<String> prefixes;
    private final Set<String> known = ConcurrentHashMap.newKeySet();
    private final ReentrantLock adding = new ReentrantLock();
    private final AtomicReferenceArray<@Nullable Declared> declared = new AtomicReferenceArray<>(NAMES);

    private record Declared(String name, String group) {}

    /** Creates the table. A prefix begins the names of a client's locks and does not count as a group. */
    public LockGroups(int most, List<String> prefixes) {
        this.most = most;
        this.prefixes = prefixes;
    }

    /** Returns the text before the first colon or digit, without trailing punctuation; may be empty. */
    public static String of(String lockName) {
        return beginning(lockName, end(lockName));
    }

    private static int end(String text) {
        int end = 0;
        while (end < text.length() && text.charAt(end) != ':' && !Character.isDigit(text.charAt(end))) {
            end++;
        }
        return end;
    }

    private static String beginning(String text, int length) {
        int end = length;
        while (end > 0 && !Character.isLetter(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(0, end);
    }

    /**
     * Declares the group of a lock and returns the group to use, within the bound. Meters of that name will use it,
     * too.
     */
    String declare(String lockName, String group) {
        String bounded = bounded(group);
        int slot = slot(lockName);
        Declared before = declared.get(slot);
        if (before == null || !before.group.equals(bounded) || !before.name.equals(lockName)) {
            declared.set(slot, new Declared(lockName, bounded));
        }
        return bounded;
    }

    /** Returns the group of a lock; {@link #OTHER} if there are too many groups or the name has none. */
    public String find(String lockName) {
        Declared last = declared.get(slot(lockName));
        return last != null && last.name.equals(lockName) ? last.group : bounded(derived(lockName));
    }

    /**
     * Derives a group from a name. A name without a colon or a digit may be that of a user, and there may be many
     * users.
     */
    private String derived(String lockName) {
        int skipped = 0;
        for (String prefix : prefixes) {
            skipped = lockName.startsWith(prefix) ? Math.max(skipped, prefix.length()) : skipped;
        }
        String name = lockName.substring(skipped);
        int end = end(name);
        String group = end == name.length() ? "" : beginning(name, end);
        return group.indexOf('@') < 0 ? group : "";
    }

    private String bounded(String wanted) {
        if (wanted.isEmpty()) {
            return OTHER;
        }
        String group = Printable.text(wanted);
        if (known.contains(group)) {
            return group;
        }
        adding.lock();
        try {
            return known.size() < most && known.add(group) || known.contains(group) ? group : OTHER;
        } finally {
            adding.unlock();
        }
    }

    private static int slot(String name) {
        int hash = name.hashCode();
        return (hash ^ hash >>> 16) & NAMES - 1;
    }
}
