package io.boltwork.testkit;

import java.util.Locale;

/**
 * A line of a {@link History}: somebody asks for a lock, or is answered. Immutable.
 *
 * @param file where it is written
 * @param line the number of the line there, from 1
 * @param nanos when, by {@link System#nanoTime()}: of an invocation and of a check before, of an answer after the call
 * @param process who: the name of a process
 * @param thread which thread of it, a name that no other thread of that process has
 * @param action what was asked for
 * @param type question or answer
 * @param lock the lock's name; {@code -} for {@link Action#KILL}
 * @param token the fencing token, 0 if there is none
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
        long token) {

    /** What somebody does. */
    public enum Action {
        /** Asks for the lock, by any method. */
        ACQUIRE,
        /** Gives back what one acquisition took. */
        RELEASE,
        /** Looks whether its hold is valid. There is the answer alone, {@link Type#OK} or {@link Type#FAIL}. */
        CHECK,
        /** Was killed, and is gone at that time. Written by somebody else. */
        KILL
    }

    /** Jepsen's types of an operation; what is unknown is called <i>info</i> there. */
    public enum Type {
        /** The call begins. */
        INVOKE,
        /** It did what was asked for. */
        OK,
        /** It did not: the lock was refused; or there was nothing (any more) to be given back, or to be valid. */
        FAIL,
        /** It threw what does not say whether it was done. So does a call that never ended. */
        UNKNOWN
    }

    boolean is(Action someAction, Type someType) {
        return action == someAction && type == someType;
    }

    /** For people: seconds, process, thread, what, where it is written. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%d.%09d s  %s  %s  %s %s%s%s  (%s:%d)",
                nanos / 1_000_000_000,
                nanos % 1_000_000_000,
                process,
                thread,
                word(action),
                word(type),
                action == Action.KILL ? "" : "  " + lock,
                token == 0 ? "" : "  token " + token,
                file,
                line);
    }

    static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
