// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.history;

import io.boltwork.LockKind;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The part of a lock that a line of a {@link History} is about: all of a plain lock, the reading or writing side of a
 * read-write lock, or some permits of a semaphore. In text it is the last word of a line: nothing, {@code read}, {@code
 * write}, or for instance {@code 3/10} for 3 of 10 permits. Immutable.
 *
 * @param kind the kind of the lock; locks of equal names and different kinds are different locks
 * @param weight the size of the part, in permits
 * @param capacity the size of the whole lock, in permits
 * @since 0.1.0
 */
public record RecordedShare(LockKind kind, int weight, int capacity) {
    /** All of a plain lock. */
    public static final RecordedShare PLAIN = new RecordedShare(LockKind.LOCK, 1, 1);

    /** A reader's share of a read-write lock. */
    public static final RecordedShare READ = new RecordedShare(LockKind.READ_WRITE, 1, Integer.MAX_VALUE);

    /** A writer's share of a read-write lock. */
    public static final RecordedShare WRITE =
            new RecordedShare(LockKind.READ_WRITE, Integer.MAX_VALUE, Integer.MAX_VALUE);

    private static final Pattern PERMITS = Pattern.compile("([1-9][0-9]{0,8})/([1-9][0-9]{0,8})");

    /**
     * Returns a share of a semaphore.
     *
     * @param permits the permits of a hold
     * @param all the permits of the semaphore
     * @return the share
     */
    public static RecordedShare permits(int permits, int all) {
        return new RecordedShare(LockKind.SEMAPHORE, permits, all);
    }

    /** Returns the share that a word stands for, if it stands for one. */
    static Optional<RecordedShare> parse(String word) {
        if (word.equals(READ.toString())) {
            return Optional.of(READ);
        }
        if (word.equals(WRITE.toString())) {
            return Optional.of(WRITE);
        }
        Matcher permits = PERMITS.matcher(word);
        return permits.matches()
                ? Optional.of(permits(Integer.parseInt(permits.group(1)), Integer.parseInt(permits.group(2))))
                : Optional.empty();
    }

    /** Returns whether a hold of this share excludes every other hold. */
    boolean takesAll() {
        return weight >= capacity;
    }

    /** Returns whether a thread has at most one hold of a name, with levels. Otherwise each acquisition is a hold. */
    boolean isReentrant() {
        return kind != LockKind.SEMAPHORE;
    }

    /** Returns the word of a line; empty for a plain lock. */
    @Override
    public String toString() {
        return switch (kind) {
            case LOCK -> "";
            case READ_WRITE -> takesAll() ? "write" : "read";
            case SEMAPHORE -> String.format(Locale.ROOT, "%d/%d", weight, capacity);
        };
    }
}
