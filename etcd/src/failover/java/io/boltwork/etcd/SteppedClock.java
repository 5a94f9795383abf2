// SPDX-License-Identifier: Apache-2.0
package io.boltwork.etcd;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;

/**
 * The wall clock that one other process reads, and that can be stepped. libfaketime does not reach etcd, which asks the
 * kernel without a library. So this overwrites the kernel's function in the memory of the process, its vDSO, by one
 * that adds a number of seconds. The monotonic clock is left as it is. Linux on x86-64 only.
 *
 * @see <a href="https://man7.org/linux/man-pages/man7/vdso.7.html">vdso(7)</a>
 */
final class SteppedClock {
    private static final String FUNCTION = "__vdso_clock_gettime";
    /** The function: asks the kernel, and adds 0 seconds to the answer if the clock was CLOCK_REALTIME, which is 0. */
    private static final byte[] CODE = HexFormat.of()
            .parseHex(
                    "b8e4000000" // mov eax, 228: clock_gettime
                            + "0f05" // syscall
                            + "85ff" // test edi, edi
                            + "7507" // jnz to the end
                            + "48810600000000" // add qword ptr [rsi], 0
                            + "c3"); // ret

    private static final int OFFSET_OF_SECONDS = CODE.length - 1 - Integer.BYTES;

    // of the file format ELF
    private static final int SECTIONS = 0x28;
    private static final int SECTION_SIZE = 0x3A;
    private static final int SECTION_COUNT = 0x3C;
    private static final int SECTION_TYPE = 0x04;
    private static final int SECTION_OFFSET = 0x18;
    private static final int SECTION_LENGTH = 0x20;
    private static final int SECTION_LINK = 0x28;
    private static final int TYPE_OF_SYMBOLS = 11;
    private static final int SYMBOL_SIZE = 24;
    private static final int SYMBOL_VALUE = 8;

    private final Path memory;
    private final long function;

    private SteppedClock(Path memory, long function) {
        this.memory = memory;
        this.function = function;
    }

    static boolean isPossible() {
        return System.getProperty("os.name").equals("Linux")
                && System.getProperty("os.arch").equals("amd64");
    }

    /**
     * Takes hold of the clock of a process that stands still meanwhile. It shows the right time until it is stepped.
     */
    static SteppedClock of(long pid) {
        Path process = Path.of("/proc", String.valueOf(pid));
        try {
            String[] range = Files.readAllLines(process.resolve("maps")).stream()
                    .filter(line -> line.endsWith("[vdso]"))
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("The process " + pid + " has no vDSO"))
                    .split("[- ]");
            long from = Long.parseUnsignedLong(range[0], 16);
            ByteBuffer image = ByteBuffer.allocate((int) (Long.parseUnsignedLong(range[1], 16) - from));
            Path memory = process.resolve("mem");
            try (RandomAccessFile file = new RandomAccessFile(memory.toFile(), "r")) {
                file.seek(from);
                file.readFully(image.array());
            }
            SteppedClock clock = new SteppedClock(memory, from + function(image.order(ByteOrder.LITTLE_ENDIAN)));
            clock.write(0, CODE);
            return clock;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Returns where the function begins. */
    private static long function(ByteBuffer image) {
        long sections = image.getLong(SECTIONS);
        int size = image.getShort(SECTION_SIZE);
        for (int i = 0; i < image.getShort(SECTION_COUNT); i++) {
            int section = (int) sections + i * size;
            if (image.getInt(section + SECTION_TYPE) == TYPE_OF_SYMBOLS) {
                int names = (int)
                        image.getLong((int) sections + image.getInt(section + SECTION_LINK) * size + SECTION_OFFSET);
                int first = (int) image.getLong(section + SECTION_OFFSET);
                int end = first + (int) image.getLong(section + SECTION_LENGTH);
                for (int symbol = first; symbol < end; symbol += SYMBOL_SIZE) {
                    if (text(image, names + image.getInt(symbol)).equals(FUNCTION)) {
                        return image.getLong(symbol + SYMBOL_VALUE);
                    }
                }
            }
        }
        throw new IllegalStateException("The vDSO has no function " + FUNCTION);
    }

    private static String text(ByteBuffer image, int from) {
        int end = from;
        while (image.get(end) != 0) {
            end++;
        }
        return new String(image.array(), from, end - from, StandardCharsets.US_ASCII);
    }

    /** Lets the clock be ahead of the right time; behind it if negative. */
    void step(Duration ahead) throws IOException {
        write(
                OFFSET_OF_SECONDS,
                ByteBuffer.allocate(Integer.BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt((int) ahead.toSeconds())
                        .array());
    }

    private void write(int offset, byte[] bytes) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(memory.toFile(), "rw")) {
            file.seek(function + offset);
            file.write(bytes);
        }
    }
}
