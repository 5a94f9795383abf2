// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** A small file system in memory, which a test fills. Only root can mount one. */
final class SmallDisk implements AutoCloseable {
    private static final int BLOCK = 4_096;

    final Path directory;
    private final Path filler;

    /** Mounts the file system; skips the test if that is not allowed. */
    SmallDisk(Path directory, int megabytes) throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "only root can mount a small file system");
        this.directory = Files.createDirectory(directory);
        this.filler = directory.resolve("filler");
        int code = run("mount", "-t", "tmpfs", "-o", "size=" + megabytes + "m", "tmpfs", directory.toString());
        assumeTrue(code == 0, "a small file system cannot be mounted here");
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
    }

    private static int run(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command).inheritIO().start().waitFor();
    }

    /** Fills what is left. */
    void fill() throws IOException {
        try (OutputStream out = Files.newOutputStream(filler)) {
            while (true) {
                out.write(new byte[BLOCK]);
            }
        } catch (IOException full) {
            if (Files.getFileStore(directory).getUsableSpace() >= BLOCK) {
                throw full;
            }
        }
    }

    void free() throws IOException {
        Files.delete(filler);
    }

    @Override
    public void close() throws Exception {
        int code = run("umount", "-l", directory.toString());
        if (code != 0) {
            throw new IllegalStateException("umount failed with " + code);
        }
    }
}
