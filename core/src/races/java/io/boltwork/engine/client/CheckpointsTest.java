// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.ClientOptions;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LockOptions;
import io.boltwork.engine.Engine;
import io.boltwork.engine.locks.EngineLock;
import io.boltwork.memory.MemoryBackend;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Restorations from a checkpoint, with an API like CRaC's, which also references resources weakly. */
class CheckpointsTest {

    private static final String CORE = """
            public class Core {
                private static final java.util.List<java.lang.ref.WeakReference<Resource>> ALL =
                        new java.util.ArrayList<>();
                public static Context<Resource> getGlobalContext() {
                    return new Context<Resource>() {
                        public void register(Resource resource) {
                            ALL.add(new java.lang.ref.WeakReference<>(resource));
                        }
                    };
                }
                public static void restore() throws Exception {
                    for (java.lang.ref.WeakReference<Resource> one : ALL) {
                        Resource resource = one.get();
                        if (resource != null) {
                            resource.beforeCheckpoint(getGlobalContext());
                            resource.afterRestore(getGlobalContext());
                        }
                    }
                }
            }
            """;
    private static final String CONTEXT = "public abstract class Context<R extends Resource> implements Resource {"
            + " public abstract void register(R resource);"
            + " public void beforeCheckpoint(Context<? extends Resource> c) {}"
            + " public void afterRestore(Context<? extends Resource> c) {} }";
    private static final String RESOURCE = "public interface Resource {"
            + " void beforeCheckpoint(Context<? extends Resource> c) throws Exception;"
            + " void afterRestore(Context<? extends Resource> c) throws Exception; }";

    @TempDir
    Path classes;

    private static JavaFileObject source(String in, String type, String body) {
        return new SimpleJavaFileObject(URI.create("string:///" + type + ".java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return "package " + in + ";\n" + body;
            }
        };
    }

    /** Returns a class loader that contains an API of that name. */
    private URLClassLoader api(String name) throws IOException {
        boolean compiled = ToolProvider.getSystemJavaCompiler()
                .getTask(
                        null,
                        null,
                        null,
                        List.of("-proc:none", "-d", classes.toString()),
                        null,
                        List.of(
                                source(name, "Core", CORE),
                                source(name, "Context", CONTEXT),
                                source(name, "Resource", RESOURCE)))
                .call();
        assertThat(compiled).isTrue();
        assertThat(Files.exists(classes.resolve(name.replace('.', '/')).resolve("Core.class")))
                .isTrue();
        return new URLClassLoader(new URL[] {classes.toUri().toURL()}, CheckpointsTest.class.getClassLoader());
    }

    private static void restore(String name, ClassLoader api) throws ReflectiveOperationException {
        Class.forName(name + ".Core", true, api).getMethod("restore").invoke(null);
    }

    @ParameterizedTest
    @ValueSource(strings = {"org.crac", "jdk.crac"})
    void aClientTakesANewIdAfterARestoration(String name) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader api = api(name)) {
            thread.setContextClassLoader(api);
            Engine engine = Engine.open(MemoryBackend.create(), ClientOptions.defaults());
            String id = engine.client();
            Lease lease = new EngineLock(engine, "lock", LockOptions.defaults()).acquire();
            CompletableFuture<LeaseLoss> lost = lease.whenLost().toCompletableFuture();
            System.gc(); // the API references registered resources weakly
            restore(name, api);
            assertThat(engine.client()).isNotEqualTo(id);
            assertThat(lost.get(30, TimeUnit.SECONDS).reason()).isEqualTo(LeaseLoss.Reason.CLONED);
            engine.close();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @Test
    void withoutAnApiNothingIsRegistered() {
        assertThat(Checkpoints.afterRestore(() -> {}, List.of(CheckpointsTest.class.getClassLoader())))
                .isNull();
    }

    @Test
    void theTaskIsRunAfterEachRestoration() throws Exception {
        try (URLClassLoader api = api("org.crac")) {
            AtomicInteger times = new AtomicInteger();
            Object kept = Checkpoints.afterRestore(times::incrementAndGet, List.of(api));
            restore("org.crac", api);
            restore("org.crac", api);
            assertThat(times).hasValue(2);
            assertThat(kept).hasToString("boltwork client").isEqualTo(kept);
        }
    }
}
