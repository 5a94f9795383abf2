// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compiles a small named module that requires this one, and runs it. All other tests run on the class path. */
class NamedModuleTest {

    private static final String MODULE = """
            module stock.service {
                requires io.boltwork.core;
            }
            """;

    private static final String MAIN = """
            package stock;

            import io.boltwork.Lease;
            import io.boltwork.LockClient;
            import io.boltwork.memory.MemoryBackend;

            public class Main {
                public static void main(String[] args) {
                    try (LockClient client = LockClient.create(MemoryBackend.create());
                            Lease lease = client.lock("stock:42").acquire()) {
                        System.out.println(Main.class.getModule().getName() + " holds it: " + lease.isValid());
                    }
                }
            }
            """;

    @TempDir
    Path directory;

    @Test
    void aNamedModuleRequiresThisOne() throws Exception {
        Path sources = Files.createDirectories(directory.resolve("src/stock"));
        Path module = Files.writeString(directory.resolve("src/module-info.java"), MODULE);
        Path main = Files.writeString(sources.resolve("Main.java"), MAIN);
        Path classes = directory.resolve("classes");
        assertThat(compile(classes, module, main)).isEmpty();
        assertThat(run(classes)).isEqualTo("stock.service holds it: true");
    }

    @Test
    void roomsAreNotExported() throws Exception {
        Path module = Files.createDirectories(directory.resolve("src")).resolve("module-info.java");
        Files.writeString(module, MODULE);
        Path main = Files.writeString(directory.resolve("src/Main.java"), """
                package stock;

                class Main {
                    io.boltwork.machine.request.Hold hold;
                }
                """);
        assertThat(compile(directory.resolve("classes"), module, main))
                .contains("package io.boltwork.machine.request is not visible");
    }

    /** A module that uses guards of databases needs no requirement of its own, and all others do without java.sql. */
    @Test
    void guardsBringTheModuleOfJdbc() throws Exception {
        Path module = Files.createDirectories(directory.resolve("src")).resolve("module-info.java");
        Files.writeString(module, MODULE);
        Path guarded = Files.writeString(directory.resolve("src/Guarded.java"), """
                package stock;

                class Guarded {
                    void check(java.sql.Connection connection) throws java.sql.SQLException {
                        io.boltwork.fence.JdbcFence.defaults().check(connection, "stock:42", 1);
                    }
                }
                """);
        assertThat(compile(directory.resolve("classes"), module, guarded)).isEmpty();
    }

    /** Returns the errors. */
    private static String compile(Path classes, Path... sources) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        List<String> options = List.of("-d", classes.toString(), "-proc:none", "--module-path", modulePath());
        boolean done = compiler.getTask(
                        messages,
                        null,
                        null,
                        options,
                        null,
                        compiler.getStandardFileManager(null, null, null).getJavaFileObjects(sources))
                .call();
        return done ? "" : messages.toString();
    }

    private static String run(Path classes) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--module-path",
                        classes + File.pathSeparator + modulePath(),
                        "--module",
                        "stock.service/stock.Main")
                .redirectErrorStream(true)
                .start();
        try {
            String output = new String(process.getInputStream().readAllBytes()).strip();
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(output).isTrue();
            return output;
        } finally {
            process.destroyForcibly();
        }
    }

    private static String modulePath() {
        return Stream.of(LockClient.class, NullMarked.class)
                .map(type -> type.getProtectionDomain().getCodeSource().getLocation())
                .map(location -> Path.of(location.getPath()).toString())
                .collect(Collectors.joining(File.pathSeparator));
    }
}
