package io.boltwork.spring;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What locks are called in metrics: {@code stock} for {@code stock:1001}, so that there are few of them. Thread-safe. */
final class LockGroups {
    static final String OTHER = "other";

    private final int most;
    private final Set<String> known = ConcurrentHashMap.newKeySet();

    LockGroups(int most) {
        this.most = most;
    }

    /** What comes before the first colon or digit, without punctuation at its end; empty if there is nothing. */
    static String of(String lockName) {
        int end = 0;
        while (end < lockName.length() && lockName.charAt(end) != ':' && !Character.isDigit(lockName.charAt(end))) {
            end++;
        }
        while (end > 0 && !Character.isLetter(lockName.charAt(end - 1))) {
            end--;
        }
        return lockName.substring(0, end);
    }

    /** The group of a lock, or {@link #OTHER} when there are too many. */
    String find(String lockName) {
        String group = of(lockName);
        if (group.isEmpty()) {
            return OTHER;
        }
        if (known.contains(group)) {
            return group;
        }
        return known.size() < most && (known.add(group) || known.contains(group)) ? group : OTHER;
    }
}
