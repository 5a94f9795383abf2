// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * Reads from Linux the work of processors, processes and JIT compilers, in seconds of one processor, and how often
 * threads sleep. Stateless.
 */
public final class Machine {
    private static final double TICKS_PER_SECOND = 100;
    private static final int OWN = 11;
    private static final int CHILDREN = 13;
    private static final Path STAT = Path.of("/proc/stat");

    private static final Path THREADS = Path.of("/proc/self/task");
    private static final Path THIS_THREAD = Path.of("/proc/thread-self");
    /** The end of the compiler threads' names in Linux, which keeps the first fifteen characters. */
    private static final String COMPILER = " CompilerThre";

    private static final String SLEEPS = "voluntary_ctxt_switches:";

    private Machine() {}

    /**
     * Returns the work of all processors since the machine started. Includes stolen time, because that is work of
     * others.
     */
    public static double busy() {
        if (!Files.isReadable(STAT)) {
            return Double.NaN; // not Linux
        }
        String[] words = read(STAT).lines().findFirst().orElseThrow().trim().split("\\s+");
        // cpu user nice system idle iowait irq softirq steal; interrupts belong to no process, and are not counted
        double ticks = 0;
        for (int i : new int[] {1, 2, 3, 8}) {
            ticks += Double.parseDouble(words[i]);
        }
        return ticks / TICKS_PER_SECOND;
    }

    /** Returns the work of some processes, as far as they are alive. */
    public static double of(Collection<Long> pids) {
        return pids.stream().mapToDouble(Machine::of).sum();
    }

    /** Returns the work of some processes and of their descendants, those that have ended and were awaited included. */
    public static double ofTrees(Collection<Long> pids) {
        return pids.stream()
                .flatMap(pid -> ProcessHandle.of(pid).stream())
                .flatMap(process -> Stream.concat(Stream.of(process), process.descendants()))
                .mapToDouble(process -> ofTree(process.pid()))
                .sum();
    }

    /** Returns the work of a process and of its children that have ended. */
    private static double ofTree(long pid) {
        try {
            String[] words = words(Files.readString(Path.of("/proc/" + pid + "/stat")));
            return work(words, OWN) + work(words, CHILDREN);
        } catch (IOException e) {
            return 0; // it has ended, or this is not Linux
        }
    }

    private static double of(long pid) {
        Path stat = Path.of("/proc/" + pid + "/stat");
        return Files.isReadable(stat) ? work(read(stat)) : 0;
    }

    /** Returns the work so far of each live compiler thread of this JVM. Empty if the system does not report it. */
    public static Map<Path, Double> compilers() {
        return ofThreads(Machine::workOfCompiler);
    }

    private static double workOfCompiler(Path thread) {
        try {
            String text = Files.readString(thread.resolve("stat"));
            return text.contains(COMPILER) ? work(text) : 0;
        } catch (IOException e) {
            return Double.NaN; // the thread has ended
        }
    }

    /** Returns the work of a process or thread from its file {@code stat}. */
    private static double work(String text) {
        return work(words(text), OWN);
    }

    /** Returns the work in user mode, which has this place in the file, and that in the kernel, which follows. */
    private static double work(String[] words, int place) {
        return (Double.parseDouble(words[place]) + Double.parseDouble(words[place + 1])) / TICKS_PER_SECOND;
    }

    private static String[] words(String text) {
        // the name, in parentheses, may contain blanks
        return text.substring(text.lastIndexOf(')') + 2).split(" ");
    }

    /**
     * Returns how often each live thread of this JVM has gone to sleep so far until another thread woke it. Empty where
     * the system does not report it.
     */
    public static Map<Path, Double> sleeps() {
        return ofThreads(Machine::sleeps);
    }

    /** Returns the same for the calling thread; NaN if the system does not report it. */
    public static double sleepsOfThisThread() {
        return sleeps(THIS_THREAD);
    }

    private static double sleeps(Path thread) {
        try (Stream<String> lines = Files.lines(thread.resolve("status"))) {
            return lines.filter(line -> line.startsWith(SLEEPS))
                    .mapToDouble(line ->
                            Double.parseDouble(line.substring(SLEEPS.length()).trim()))
                    .sum();
        } catch (IOException | UncheckedIOException e) {
            return Double.NaN; // not Linux, or the thread has ended
        }
    }

    private static Map<Path, Double> ofThreads(ToDoubleFunction<Path> figure) {
        try (Stream<Path> threads = Files.list(THREADS)) {
            Map<Path, Double> figures = new HashMap<>();
            threads.forEach(thread -> figures.put(thread, figure.applyAsDouble(thread)));
            figures.values().removeIf(value -> value.isNaN());
            return figures;
        } catch (IOException e) {
            return Map.of(); // not Linux
        }
    }

    /**
     * Returns the growth of the figures of the threads that are alive at the end. The system no longer reports those of
     * the others.
     */
    public static double growth(Map<Path, Double> before, Map<Path, Double> after) {
        return after.entrySet().stream()
                .mapToDouble(thread -> thread.getValue() - before.getOrDefault(thread.getKey(), 0.0))
                .sum();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
