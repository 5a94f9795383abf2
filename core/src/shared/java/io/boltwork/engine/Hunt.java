// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import java.lang.annotation.Annotation;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Looks for a rule that a mutant breaks. Called by reflection, in its class loader. */
final class Hunt {

    private static final Logger LOG = Logger.getLogger("io.boltwork");

    private static final long TEST_SECONDS = 90;

    private Hunt() {}

    /** The test of a rule that fails, in one of these classes; {@code null} if all pass. */
    static String[] rules(List<String> names) throws ReflectiveOperationException, InterruptedException {
        LOG.setLevel(Level.OFF);
        for (String name : names) {
            Class<?> tests = Class.forName(name, true, Hunt.class.getClassLoader());
            Constructor<?> constructor = tests.getDeclaredConstructor();
            constructor.setAccessible(true);
            for (Method test : tests.getDeclaredMethods()) {
                boolean readsTheLog = test.isAnnotationPresent(ResourceLock.class); // all hunts write to one
                if (test.isAnnotationPresent(Test.class) && !readsTheLog) {
                    test.setAccessible(true);
                    Object instance = constructor.newInstance();
                    if (!passes(() -> run(instance, test))) {
                        return new String[] {"`" + tests.getSimpleName() + "`", "`" + test.getName() + "`"};
                    }
                }
            }
        }
        return null;
    }

    /** Runs a test and what belongs to it, such as the end of its clients: their threads would slow down the hunt. */
    private static Void run(Object instance, Method test) throws ReflectiveOperationException {
        try {
            invokeAll(instance, BeforeEach.class);
            test.invoke(instance);
        } finally {
            invokeAll(instance, AfterEach.class);
        }
        return null;
    }

    private static void invokeAll(Object instance, Class<? extends Annotation> marker)
            throws ReflectiveOperationException {
        for (Class<?> type = instance.getClass(); type != null; type = type.getSuperclass()) {
            for (Method method : type.getDeclaredMethods()) {
                if (method.isAnnotationPresent(marker)) {
                    method.setAccessible(true);
                    method.invoke(instance);
                }
            }
        }
    }

    /** Returns whether a test passes, and does not wait for ever. */
    private static boolean passes(Callable<?> test) throws InterruptedException {
        FutureTask<?> task = new FutureTask<>(test);
        Thread thread = new Thread(task, "rule");
        thread.setDaemon(true);
        thread.start();
        try {
            task.get(TEST_SECONDS, TimeUnit.SECONDS);
            return true;
        } catch (ExecutionException failed) {
            return false;
        } catch (TimeoutException endless) {
            stop(thread);
            return false;
        }
    }

    /** Ends a thread that a mutant keeps busy, on the JDKs that can. It would slow down the hunts that follow. */
    private static void stop(Thread thread) {
        try {
            Thread.class.getMethod("stop").invoke(thread);
        } catch (ReflectiveOperationException tooNew) { // the thread stays
        }
    }
}
