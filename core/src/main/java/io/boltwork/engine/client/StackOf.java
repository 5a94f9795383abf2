// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.client;

import io.boltwork.spi.Printable;
import java.util.List;

/** A stack of a thread for the log. It is logged as the cause of a message, and is never thrown. */
public final class StackOf extends Throwable {
    private static final long serialVersionUID = 1L;

    /** Creates a stack with a line of text before it. */
    public StackOf(String text, List<StackTraceElement> stack) {
        super(Printable.text(text), null);
        setStackTrace(stack.toArray(StackTraceElement[]::new));
    }

    /** Returns the present stack of a thread. It is empty if the thread has ended. */
    public static List<StackTraceElement> now(Thread thread) {
        return List.of(thread.getStackTrace());
    }

    @Override
    public Throwable fillInStackTrace() {
        return this; // the stack of the thread that logs has no meaning
    }

    @Override
    public String toString() {
        return String.valueOf(getMessage());
    }
}
