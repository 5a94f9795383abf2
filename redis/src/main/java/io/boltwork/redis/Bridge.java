// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.LockKind;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.spi.Command;
import io.boltwork.spi.LatchCommand;
import io.boltwork.spi.NamePattern;
import io.boltwork.spi.Printable;
import io.boltwork.spi.RequestId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Names of locks that are shared with clients of another library, so that a system can change over one service at a
 * time. A lock on the bridge excludes the other library's lock of the same name, and both sides wake each other.
 * Immutable. See docs/move/redisson.md.
 *
 * @since 0.1.0
 */
public final class Bridge {
    private static final Bridge ALL = new Bridge(List.of());

    /** The patterns of the names; empty for all names. */
    private final List<NamePattern> patterns;

    private Bridge(List<NamePattern> patterns) {
        this.patterns = patterns;
    }

    /**
     * Returns a bridge to Redisson's plain locks: {@code RLock} as {@code getLock} returns it, and {@code RFencedLock}.
     * The key of such a lock is its name, so {@code getLock("orders")} of Redisson and {@code lock("orders")} of
     * Boltwork are the same lock.
     *
     * @return a bridge for all names
     */
    public static Bridge redisson() {
        return ALL;
    }

    /**
     * Limits the bridge to some names. Locks with other names are not shared, and cost nothing more. Default: all
     * names.
     *
     * @param patterns names, in which {@code *} stands for any characters and {@code ?} for one, such as
     *     {@code orders:*}
     * @return a bridge for the names that match one of these patterns
     * @throws IllegalArgumentException if there is no pattern, or if one of them is empty or contains {, } or %
     */
    public Bridge withNames(String... patterns) {
        if (patterns.length == 0) {
            throw new IllegalArgumentException("patterns must not be empty; omit withNames to share all names");
        }
        List<NamePattern> compiled = new ArrayList<>();
        for (String pattern : patterns) {
            if (pattern.isEmpty()) {
                throw new IllegalArgumentException(
                        Printable.text("patterns must not contain an empty one, but are " + Arrays.toString(patterns)));
            }
            if (!KeySpace.isBridgeable(pattern)) {
                throw new IllegalArgumentException(
                        Printable.text("patterns must not contain {, } or %, because a name with one of them cannot be"
                                + " shared with Redisson, but are " + Arrays.toString(patterns)));
            }
            compiled.add(new NamePattern(pattern));
        }
        return new Bridge(List.copyOf(compiled));
    }

    /** Returns whether locks with a name are shared. */
    boolean covers(String name) {
        return patterns.isEmpty() || patterns.stream().anyMatch(pattern -> pattern.matches(name));
    }

    /** Returns why a command is refused, or {@code null} if it is not. */
    @Nullable
    String refusal(Command<?> command) {
        if (command instanceof Command.Acquire acquire && covers(acquire.lock())) {
            if (acquire.kind() != LockKind.LOCK) {
                return notShared(
                        acquire.kind() == LockKind.SEMAPHORE ? "semaphore" : "read-write lock", acquire.lock());
            }
            if (RequestId.isRetained(acquire.request())) {
                return Printable.text(
                        "The lock '" + acquire.lock() + "' cannot be retained, because it is shared with Redisson,"
                                + " which cannot recall it; use LockOptions without retention for it");
            }
            if (!KeySpace.isBridgeable(acquire.lock())) {
                return Printable.text("The lock '" + acquire.lock()
                        + "' cannot be shared with Redisson: its name must not be empty or contain {, } or %");
            }
        }
        return command instanceof LatchCommand latch && covers(latch.latch())
                ? notShared("latch", latch.latch())
                : null;
    }

    private static String notShared(String kind, String name) {
        return Printable.text("The " + kind + " '" + name
                + "' cannot be shared with Redisson, which the bridge of RedisOptions.withBridge"
                + " would do with this name; limit the bridge to the names of plain locks: Bridge.withNames");
    }

    @Override
    public String toString() {
        return Printable.text("Bridge[redisson"
                + (patterns.isEmpty()
                        ? ""
                        : ", names=" + patterns.stream().map(NamePattern::text).toList()) + "]");
    }
}
