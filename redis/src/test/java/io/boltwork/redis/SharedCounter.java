// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * A counter in a file that processes share, and the token of each increment. Reading and writing are two steps, so
 * only a lock makes it exact.
 */
final class SharedCounter {
    private static final int OWN_COUNTS = 8;
    private static final int TOKENS = OWN_COUNTS + 10 * 8;
    private static final int CAPACITY = 1_000_000;
    private static final int SPINS = 50;

    private final MappedByteBuffer memory;

    private SharedCounter(MappedByteBuffer memory) {
        this.memory = memory;
    }

    static SharedCounter open(Path file) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new SharedCounter(channel.map(MapMode.READ_WRITE, 0, TOKENS + CAPACITY * 8L));
        }
    }

    /** Reads, pauses, writes. */
    void increment(int process, long token) {
        increment(process, token, () -> {
            for (int i = 0; i < SPINS; i++) {
                Thread.onSpinWait();
            }
        });
    }

    /** Reads, runs an action, writes. */
    void increment(int process, long token, Runnable meanwhile) {
        long value = memory.getLong(0);
        long own = of(process);
        meanwhile.run();
        memory.putLong((int) (TOKENS + value * 8), token);
        memory.putLong(0, value + 1);
        memory.putLong(OWN_COUNTS + process * 8, own + 1);
    }

    long value() {
        return memory.getLong(0);
    }

    /** Returns the number of increments of that process. */
    long of(int process) {
        return memory.getLong(OWN_COUNTS + process * 8);
    }

    /** Returns the tokens of all increments in their order. */
    List<Long> tokens() {
        List<Long> tokens = new ArrayList<>();
        for (int i = 0; i < value(); i++) {
            tokens.add(memory.getLong(TOKENS + i * 8));
        }
        return tokens;
    }
}
