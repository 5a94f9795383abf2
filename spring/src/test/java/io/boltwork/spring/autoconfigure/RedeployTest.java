// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spring.WebApplication;
import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.server.EtcdCluster;
import io.boltwork.testkit.server.RedisServer;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * A web application is deployed, used and removed three times, in a container whose threads live on. Nothing of
 * Boltwork keeps a class loader, whatever the locks are kept on.
 */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
public class RedeployTest {

    private static final int DEPLOYMENTS = 3;
    private static final String RESULT = "Left: ";

    /** {@code true} if the application has the starter, which takes longer to start than all the rest. */
    private static final String STARTER = Boolean.toString(Boolean.getBoolean("boltwork.whole"));

    @Test
    void noClassLoaderStaysAfterARedeployment() throws Exception {
        try (RedisServer redis = RedisServer.start();
                TestingServer zookeeper = new TestingServer();
                EtcdCluster etcd = EtcdCluster.isInstalled() ? EtcdCluster.start(1, "--unsafe-no-fsync") : null;
                ChildJvm container = ChildJvm.start(
                        Container.class,
                        // soft references are cleared by each collection
                        List.of("-XX:SoftRefLRUPolicyMSPerMB=0", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
                        List.of(
                                STARTER,
                                redis.uri(),
                                zookeeper.getConnectString(),
                                etcd == null ? "" : etcd.endpoints()))) {
            String line;
            do { // the log is on the same output
                line = container.nextLine(Duration.ofMinutes(3));
            } while (line != null && !line.startsWith(RESULT));
            assertThat(line).as("class loaders that stay, and threads").isEqualTo(RESULT + "0 []");
        }
    }

    /**
     * A container, whose own class path plays no part: the application has the JDK's classes and its own copy of all.
     */
    static final class Container {

        private Container() {}

        public static void main(String[] args) throws Exception {
            ExecutorService requests = Executors.newFixedThreadPool(2, task -> new Thread(task, "request"));
            requests.submit(() -> {}).get();
            requests.submit(() -> {}).get();
            Set<Thread> before = Thread.getAllStackTraces().keySet();
            List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
            for (int i = 0; i < DEPLOYMENTS; i++) {
                loaders.add(deployAndRemove(requests, args));
            }
            forgetLastRecord();
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
            do {
                System.gc();
            } while (count(loaders) > 0 && System.nanoTime() - end < 0);
            System.out.println(RESULT + count(loaders) + " " + newThreads(before));
            System.exit(0);
        }

        private static WeakReference<ClassLoader> deployAndRemove(ExecutorService requests, String... args)
                throws Exception {
            List<URL> urls = new ArrayList<>();
            for (String entry : System.getProperty("java.class.path").split(java.io.File.pathSeparator)) {
                urls.add(Path.of(entry).toUri().toURL());
            }
            URLClassLoader loader = new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
            Thread deployer = Thread.currentThread();
            ClassLoader own = deployer.getContextClassLoader();
            deployer.setContextClassLoader(loader);
            try {
                Class<?> type = loader.loadClass(WebApplication.class.getName());
                Runnable application =
                        (Runnable) type.getConstructor(String[].class).newInstance((Object) args);
                List<Future<?>> answers = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    answers.add(requests.submit(() -> {
                        Thread.currentThread().setContextClassLoader(loader);
                        try {
                            application.run();
                        } finally {
                            Thread.currentThread().setContextClassLoader(own);
                        }
                    }));
                }
                for (Future<?> answer : answers) {
                    answer.get();
                }
                ((AutoCloseable) application).close();
            } finally {
                deployer.setContextClassLoader(own);
            }
            loader.close();
            return new WeakReference<>(loader);
        }

        /** Compares two records: the JDK remembers the type of the record whose equals method it has linked last. */
        private static void forgetLastRecord() {
            record Any(int value) {}
            if (new Any(1).equals(new Any(2))) {
                throw new AssertionError();
            }
        }

        private static long count(List<WeakReference<ClassLoader>> loaders) {
            return loaders.stream().filter(loader -> loader.get() != null).count();
        }

        /** Returns the threads of applications that have not ended. */
        private static Set<String> newThreads(Set<Thread> before) {
            Set<String> names = new TreeSet<>();
            for (Thread thread : Thread.getAllStackTraces().keySet()) {
                if (!before.contains(thread) && thread.getContextClassLoader() instanceof URLClassLoader) {
                    names.add(thread.getName());
                }
            }
            return names;
        }
    }
}
