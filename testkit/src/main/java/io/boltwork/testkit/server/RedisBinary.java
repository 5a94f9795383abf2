// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds a redis-server to run: the one that the system property {@code boltwork.redis} names, the one on the PATH, or
 * the one in the embedded-redis jar.
 */
final class RedisBinary {
    private static final Pattern VERSION = Pattern.compile("\\bv=(\\d+)\\.(\\d+)\\.\\d+");

    private RedisBinary() {}

    /** Returns the named server, or the one on the PATH, if its version is 6.2 or later; otherwise {@code null}. */
    static @Nullable String installed() {
        String binary = System.getProperty("boltwork.redis", "redis-server");
        try {
            Matcher version = VERSION.matcher(versionLine(binary));
            if (!version.find()) {
                return null;
            }
            int major = Integer.parseInt(version.group(1));
            int minor = Integer.parseInt(version.group(2));
            return major > 6 || (major == 6 && minor >= 2) ? binary : null;
        } catch (IOException e) {
            return null;
        }
    }

    /** Unpacks the embedded server for this machine into a directory and returns its path. */
    static String unpack(Path directory) throws IOException {
        URL anchor = RedisBinary.class.getResource("/redis/embedded/Redis.class");
        if (anchor == null || !(anchor.openConnection() instanceof JarURLConnection connection)) {
            throw new IOException("The jar embedded-redis, which contains a redis-server, is not on the class path. Add"
                    + " com.github.codemonstur:embedded-redis, or install Redis 6.2 or later");
        }
        connection.setUseCaches(false);
        String suffix = "-" + system() + "-" + architecture();
        try (JarFile jar = connection.getJarFile()) {
            String name = jar.stream()
                    .map(entry -> entry.getName())
                    .filter(entry -> entry.startsWith("redis-server-") && entry.endsWith(suffix))
                    .max(String::compareTo)
                    .orElseThrow(() -> new IOException("No redis-server*" + suffix + " in " + jar.getName()));
            Path binary = directory.resolve("redis-server");
            try (InputStream in = jar.getInputStream(jar.getEntry(name))) {
                Files.copy(in, binary);
            }
            if (!binary.toFile().setExecutable(true)) {
                throw new IOException("Cannot make " + binary + " executable");
            }
            return binary.toString();
        }
    }

    /** Returns the version that the binary reports, such as {@code 7.0.15}. */
    static String version(String binary) {
        try {
            String line = versionLine(binary);
            Matcher version = VERSION.matcher(line);
            if (!version.find()) {
                throw new IllegalStateException("No version in: " + line);
            }
            return version.group().substring(2);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String versionLine(String binary) throws IOException {
        Process process = new ProcessBuilder(binary, "--version")
                .redirectErrorStream(true)
                .start();
        try (InputStream out = process.getInputStream()) {
            return new String(out.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String system() {
        return System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("mac") ? "darwin" : "linux";
    }

    private static String architecture() {
        String arch = System.getProperty("os.arch");
        return arch.equals("aarch64") || arch.equals("arm64") ? "arm64" : "amd64";
    }
}
