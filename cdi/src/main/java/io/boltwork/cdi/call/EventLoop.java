// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi.call;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.util.concurrent.Executor;

/** The event loop of a subscriber, such as that of a request to Quarkus. Reactive database clients are bound to it. */
final class EventLoop {
    private static final boolean PRESENT = isPresent();

    private EventLoop() {}

    private static boolean isPresent() {
        try {
            Class.forName("io.vertx.core.Vertx", false, EventLoop.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException | LinkageError absent) {
            return false;
        }
    }

    /** Returns an executor on the event loop of this thread; one that stays on its thread if there is none. */
    static Executor current() {
        return PRESENT ? OfVertx.current() : Runnable::run;
    }

    /** A separate class, because Vert.x may be absent. */
    private static final class OfVertx {
        static Executor current() {
            Context context = Context.isOnEventLoopThread() ? Vertx.currentContext() : null;
            return context == null ? Runnable::run : task -> context.runOnContext(nothing -> task.run());
        }
    }
}
