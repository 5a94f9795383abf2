// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The directory of a Redis that writes its commands to a file and syncs this file every second. A killed process loses
 * nothing that it has written, but a power failure loses all writes that were not synced. This class cuts the file to
 * the part that a disk would have.
 */
final class DiskOfMaster implements AutoCloseable {
    private final Path directory;
    private final Map<Path, Long> synced = new HashMap<>();

    private DiskOfMaster(Path directory) {
        this.directory = directory;
    }

    static DiskOfMaster create() throws IOException {
        return new DiskOfMaster(Files.createTempDirectory("boltwork-handmade"));
    }

    /** Returns the arguments of the server. */
    List<String> arguments() {
        return List.of("--dir", directory.toString(), "--appendonly", "yes", "--appendfsync", "everysec");
    }

    /** Remembers what has been written so far as the last thing that was synced. */
    void sync() throws IOException {
        for (Path file : files()) {
            synced.put(file, Files.size(file));
        }
    }

    /** Cuts the files to the part that was synced. */
    void loseUnsynced() throws IOException {
        for (Path file : files()) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.truncate(synced.getOrDefault(file, 0L));
            }
        }
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(file -> file.toString().endsWith(".aof")).toList();
        }
    }

    @Override
    public void close() {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path file : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
