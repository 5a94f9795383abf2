// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jetbrains.lincheck.Lincheck;

/**
 * Runs small scenes of two or three threads under a model checker, which decides at each access to shared memory which
 * thread continues, and prints the interleaving that broke a scene. A scene in which all threads sleep for ever is
 * broken, too.
 *
 * <p>The checker assumes sequential consistency. Tests on real threads cover what the Java memory model allows beyond
 * that.
 *
 * <p>{@code -Dboltwork.proof=true} (the profile {@code proof}) explores many times more interleavings.
 */
public final class Interleavings {

    private static final int FACTOR = Boolean.getBoolean("boltwork.proof") ? 40 : 1;

    private static final Logger LOG = Logger.getLogger("io.boltwork"); // a reference, or the level would be forgotten

    private Interleavings() {}

    /**
     * Runs a scene in a number of interleavings. The scene makes all that it needs anew, and throws if something is
     * wrong. Its assertions have constant messages, because the model checker would explore the making of strings.
     */
    public static void of(int count, Runnable scene) {
        Level before = LOG.getLevel();
        LOG.setLevel(Level.OFF); // leases are lost on purpose
        try {
            scene.run(); // once without the checker, which must not explore what the JVM links at first use
            Lincheck.runConcurrentTest(count * FACTOR, scene);
        } finally {
            LOG.setLevel(before);
        }
    }

    /** Runs the parts of a scene at the same time, the first one on this thread, until all have ended. */
    public static void together(Runnable first, Runnable... others) {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (Runnable part : others) {
            Thread thread = new Thread(() -> {
                try {
                    part.run();
                } catch (Throwable thrown) {
                    failure.set(thrown);
                }
            });
            threads.add(thread);
            thread.start();
        }
        first.run();
        for (Thread thread : threads) {
            join(thread);
        }
        if (failure.get() != null) {
            throw new AssertionError(failure.get());
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            throw new AssertionError("interrupted", interrupted);
        }
    }

    public static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
