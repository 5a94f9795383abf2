// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.history;

import io.boltwork.LockKind;
import java.util.Locale;

/**
 * A line of a {@link History}: a thread calls a method of a lock, or gets an answer. Immutable.
 *
 * @param file the file that contains the line
 * @param line the number of the line in that file, from 1
 * @param nanos the time by {@link System#nanoTime()}: before the call for an invocation or a check, after the call for
 *     an answer
 * @param process the name of the process
 * @param thread the thread, by a name that no other thread of that process has
 * @param action the action
 * @param type invocation or answer
 * @param lock the lock's name; {@code -} for {@link Action#KILL}
 * @param token the fencing token, 0 if there is none
 * @param share the share of the lock
 * @since 0.1.0
 */
public record Event(
        String file,
        int line,
        long nanos,
        String process,
        String thread,
        Action action,
        Type type,
        String lock,
        long token,
        RecordedShare share) {

    /** The action that a line records. */
    public enum Action {
        /** The thread requests the lock, by any method. */
        ACQUIRE,
        /** The thread releases what one acquisition took. */
        RELEASE,
        /** The thread checks if its hold is valid. There is only the answer, {@link Type#OK} or {@link Type#FAIL}. */
        CHECK,
        /** The process was killed, and is gone at that time. Another process writes this. */
        KILL
    }

    /** Jepsen's types of an operation; {@link #UNKNOWN} is called <i>info</i> there. */
    public enum Type {
        /** The call begins. */
        INVOKE,
        /** The call did what was requested. */
        OK,
        /**
         * The call did not do what was requested: the lock was refused, or there was no valid hold to release or check.
         */
        FAIL,
        /** The call threw an exception that leaves the outcome open. A call that never ended counts as unknown, too. */
        UNKNOWN
    }

    boolean is(Action someAction, Type someType) {
        return action == someAction && type == someType;
    }

    /** Returns whether both lines are about the same share of the same lock. */
    boolean isOfSameShare(Event other) {
        return lock.equals(other.lock) && share.equals(other.share);
    }

    /** Returns a readable form: seconds, process, thread, action, location. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%d.%09d s  %s  %s  %s %s%s%s%s  (%s:%d)",
                nanos / 1_000_000_000,
                nanos % 1_000_000_000,
                process,
                thread,
                word(action),
                word(type),
                action == Action.KILL ? "" : "  " + lock,
                token == 0 ? "" : "  token " + token,
                share.kind() == LockKind.LOCK ? "" : "  " + share,
                file,
                line);
    }

    static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
