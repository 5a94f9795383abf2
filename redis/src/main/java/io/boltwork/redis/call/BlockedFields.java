// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.call;

import io.boltwork.LockKind;
import io.boltwork.spi.BlockedThread;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The fields {@code b1}, {@code b2}, ... of a client's record, which are its blocked threads: {@code <kind> <0|1>
 * <number>,<number>,... <lock>}, with 1 for a thread that something may let go on.
 */
final class BlockedFields {
    private static final int WORDS = 4;

    private BlockedFields() {}

    /** Returns the field of a blocked thread. */
    static String text(BlockedThread thread) {
        String holds = thread.holds().stream().map(String::valueOf).collect(Collectors.joining(","));
        return thread.kind() + " " + (thread.isLimited() ? 1 : 0) + " " + holds + " " + thread.lock();
    }

    /** Returns the blocked threads of a record. Ignores fields that are malformed. */
    static List<BlockedThread> read(HashFields hash) {
        List<BlockedThread> threads = new ArrayList<>();
        for (int i = 1; hash.has("b" + i); i++) {
            BlockedThread thread = parsed(hash.text("b" + i));
            if (thread != null) {
                threads.add(thread);
            }
        }
        return threads;
    }

    private static @Nullable BlockedThread parsed(String field) {
        String[] words = field.split(" ", WORDS); // the name of a lock may contain anything
        if (words.length < WORDS || !words[1].equals("0") && !words[1].equals("1")) {
            return null;
        }
        try {
            List<Long> holds =
                    Arrays.stream(words[2].split(",")).map(Long::valueOf).toList();
            LockKind kind = LockKind.valueOf(words[0]);
            return holds.isEmpty() ? null : new BlockedThread(holds, kind, words[3], words[1].equals("1"));
        } catch (IllegalArgumentException malformed) { // an unknown kind, or something that is no number
            return null;
        }
    }
}
