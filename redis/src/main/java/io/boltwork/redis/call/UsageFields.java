// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.call;

import io.boltwork.LockKind;
import io.boltwork.spi.LockUsage;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The fields {@code u1}, {@code u2}, ... of a client's record, which are the locks that it uses most: {@code <kind>
 * <turns> <waiting> <waited> <held> <lock>}, with times in microseconds.
 */
final class UsageFields {
    private static final int WORDS = 6;

    private UsageFields() {}

    /** Returns the field of a lock. */
    static String text(LockUsage used) {
        return used.kind() + " " + used.turns() + " " + used.waiting() + " " + used.waitedMicros() + " "
                + used.heldMicros() + " " + used.lock();
    }

    /** Returns the locks of a record. Ignores fields that are malformed. */
    static List<LockUsage> read(HashFields hash) {
        List<LockUsage> locks = new ArrayList<>();
        for (int i = 1; hash.has("u" + i); i++) {
            LockUsage used = parsed(hash.text("u" + i));
            if (used != null) {
                locks.add(used);
            }
        }
        return locks;
    }

    private static @Nullable LockUsage parsed(String field) {
        String[] words = field.split(" ", WORDS); // the name of a lock may contain anything
        if (words.length < WORDS) {
            return null;
        }
        try {
            LockKind kind = LockKind.valueOf(words[0]);
            long turns = Long.parseLong(words[1]);
            int waiting = Integer.parseInt(words[2]);
            long waited = Long.parseLong(words[3]);
            long held = Long.parseLong(words[4]);
            boolean isSound = turns >= 0 && waiting >= 0 && waited >= 0 && held >= 0;
            return isSound ? new LockUsage(kind, words[5], turns, waiting, waited, held) : null;
        } catch (IllegalArgumentException malformed) { // an unknown kind, or something that is no number
            return null;
        }
    }
}
