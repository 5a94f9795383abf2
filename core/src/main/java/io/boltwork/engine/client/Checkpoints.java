// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.client;

import static io.boltwork.spi.PrintableLog.LOG;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks after this JVM has been restored from a checkpoint, if the JVM or the application has the API of CRaC
 * under any of its names. The API is found by reflection, so that it is no dependency.
 */
public final class Checkpoints {

    /** The package of the JDK, and the one for all JDKs, which AWS Lambda SnapStart calls, too. */
    private static final List<String> PACKAGES = List.of("jdk.crac", "org.crac");

    private Checkpoints() {}

    /**
     * Registers a task that runs after each restoration.
     *
     * @param loaders the class loaders that may know the API
     * @return an object that must stay reachable as long as the task is wanted, because the API refers to it weakly;
     *     {@code null} if there is no such API
     */
    public static @Nullable Object afterRestore(Runnable task, List<ClassLoader> loaders) {
        for (String name : PACKAGES) {
            for (ClassLoader loader : loaders) {
                try {
                    return register(name, loader, task);
                } catch (ClassNotFoundException | LinkageError absent) {
                    continue; // another name or loader may succeed
                } catch (ReflectiveOperationException unknown) {
                    LOG.log(System.Logger.Level.WARNING, "Cannot use {0}: {1}", name, unknown);
                }
            }
        }
        return null;
    }

    /** The class loaders of this library and of the application. */
    public static List<ClassLoader> loaders() {
        ClassLoader own = Checkpoints.class.getClassLoader();
        ClassLoader applications = Thread.currentThread().getContextClassLoader();
        return applications == null || applications == own ? List.of(own) : List.of(own, applications);
    }

    private static Object register(String name, ClassLoader loader, Runnable task) throws ReflectiveOperationException {
        Class<?> core = Class.forName(name + ".Core", true, loader);
        Class<?> resource = Class.forName(name + ".Resource", true, loader);
        Class<?> context = Class.forName(name + ".Context", true, loader);
        Object registered = Proxy.newProxyInstance(resource.getClassLoader(), new Class<?>[] {resource}, handler(task));
        Object global = core.getMethod("getGlobalContext").invoke(null);
        try {
            context.getMethod("register", resource).invoke(global, registered);
        } catch (InvocationTargetException refused) {
            throw new ReflectiveOperationException(refused.getCause());
        }
        return registered;
    }

    private static InvocationHandler handler(Runnable task) {
        return (proxy, method, arguments) -> answer(proxy, method, arguments, task);
    }

    private static @Nullable Object answer(Object proxy, Method method, Object @Nullable [] arguments, Runnable task) {
        return switch (method.getName()) {
            case "afterRestore" -> {
                task.run();
                yield null;
            }
            case "equals" -> arguments != null && proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            case "toString" -> "boltwork client";
            default -> null; // beforeCheckpoint: the restored JVM loses its holds, this one does not
        };
    }
}
