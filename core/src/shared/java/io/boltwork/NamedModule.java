// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
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

/** A small named module that requires one of Boltwork's. All other tests run on the class path. */
final class NamedModule {
    private final Path sources;
    private final Path classes;
    private final Path info;
    private final String modulePath;

    /**
     * Creates the module {@code stock.service}.
     *
     * @param required the required module
     * @param types one type of each module of Boltwork on the module path
     */
    NamedModule(Path directory, String required, Class<?>... types) throws IOException {
        sources = Files.createDirectories(directory.resolve("src"));
        classes = directory.resolve("classes");
        info = Files.writeString(
                sources.resolve("module-info.java"), "module stock.service { requires " + required + "; }");
        modulePath = Stream.concat(Stream.of(types), Stream.of(NullMarked.class))
                .map(type -> type.getProtectionDomain().getCodeSource().getLocation())
                .map(location -> Path.of(location.getPath()).toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** Compiles the module with one class, and returns the errors. */
    String compile(String name, String source) throws IOException {
        Path file = Files.writeString(sources.resolve(name + ".java"), source);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        List<String> options = List.of("-d", classes.toString(), "-proc:none", "--module-path", modulePath);
        boolean done = compiler.getTask(
                        messages,
                        null,
                        null,
                        options,
                        null,
                        compiler.getStandardFileManager(null, null, null).getJavaFileObjects(info, file))
                .call();
        return done ? "" : messages.toString();
    }

    /** Runs a class of the module, and returns its output. */
    String run(String name) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--module-path",
                        classes + File.pathSeparator + modulePath,
                        "--module",
                        "stock.service/" + name)
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
}
