// SPDX-License-Identifier: Apache-2.0
import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.FencedReadWriteLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LeasedSemaphore;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.redis.RedisBackend;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * One JVM of release/upgrade, which runs several of them with different versions of Boltwork.
 *
 * <p>{@code Contender run NAME URI DIRECTORY} takes locks of all kinds until there is a file {@code stop}. While it
 * holds one, it also locks a file by means of the operating system, which knows nothing of Boltwork: if that file is
 * locked already, two holds overlap. It writes each hold to a file of the lock.
 * {@code Contender judge DIRECTORY NAME...} reads these files.
 */
final class Contender {
    private static final LockOptions OPTIONS = LockOptions.renewedLease(Duration.ofSeconds(10));

    private final String name;
    private final Path directory;

    private Contender(String name, Path directory) {
        this.name = name;
        this.directory = directory;
    }

    public static void main(String... args) throws Exception {
        if (args[0].equals("judge")) {
            judge(Path.of(args[1]), List.of(args).subList(2, args.length));
        } else {
            try (LockClient locks = LockClient.create(RedisBackend.connect(args[2]))) {
                new Contender(args[1], Path.of(args[3])).run(locks);
            }
        }
    }

    private void run(LockClient locks) throws InterruptedException {
        FencedLock batched = locks.lock("batched", OPTIONS);
        FencedLock fifo = locks.lock("fifo", OPTIONS.withFairness(LockOptions.Fairness.FIFO));
        FencedReadWriteLock both = locks.readWriteLock("both", OPTIONS);
        LeasedSemaphore one = locks.semaphore("one", 1, OPTIONS);
        List<Thread> threads = new ArrayList<>();
        // two threads, which hand the lock over inside the client, too
        threads.add(loop("batched", () -> inside("batched", false, batched.acquire())));
        threads.add(loop("batched", () -> inside("batched", false, batched.acquire())));
        threads.add(loop("fifo", () -> {
            Optional<Lease> turn = fifo.tryAcquire(Duration.ofMillis(200));
            if (turn.isPresent()) {
                inside("fifo", false, turn.get());
            }
        }));
        threads.add(loop("both", () -> {
            boolean read = ThreadLocalRandom.current().nextInt(3) > 0;
            inside("both", read, (read ? both.readLock() : both.writeLock()).acquire());
        }));
        threads.add(loop("one", () -> inside("one", false, one.acquire())));
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** A turn with a lock. */
    private interface Turn {
        void take() throws Exception;
    }

    private Thread loop(String file, Turn turn) {
        Thread thread = new Thread(() -> {
            while (Files.notExists(directory.resolve("stop"))) {
                try {
                    turn.take();
                    Thread.sleep(0, ThreadLocalRandom.current().nextInt(1_000_000));
                } catch (LeaseLostException e) {
                    write(file, name + " lost " + e.loss().fencingToken());
                } catch (BackendException e) {
                    write(file, name + " unknown " + e.getMessage()); // a busy machine: no answer within 200 ms
                } catch (Exception e) {
                    write(file, name + " FAILED " + e);
                }
            }
        });
        thread.start();
        return thread;
    }

    /** Locks the file for a moment, writes down the hold, and releases it. */
    private void inside(String file, boolean shared, Lease hold) throws IOException, InterruptedException {
        try (hold;
                FileChannel channel = FileChannel.open(
                        directory.resolve(file + ".lock"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            try (FileLock lock = channel.tryLock(0, Long.MAX_VALUE, shared)) {
                write(file, name + (lock == null ? " OVERLAP " : shared ? " read " : " held ") + hold.fencingToken());
                Thread.sleep(ThreadLocalRandom.current().nextInt(2));
            } catch (OverlappingFileLockException e) {
                write(file, name + " OVERLAP " + hold.fencingToken());
            }
            write(file, name + " end " + hold.fencingToken());
        }
    }

    private void write(String file, String line) {
        try (FileChannel log = FileChannel.open(
                directory.resolve(file + ".log"), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            log.write(ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void judge(Path directory, List<String> names) throws IOException {
        boolean good = true;
        for (String file : List.of("batched", "fifo", "both", "one")) {
            good &= new Judge(Files.readAllLines(directory.resolve(file + ".log"))).isGood(file, names);
        }
        if (!good) {
            System.exit(1);
        }
    }

    /** Reads the holds of one lock, in their order. */
    private static final class Judge {
        private final List<String[]> lines;

        /**
         * The holds whose owners were told that they had lost them. A busy machine stops a JVM for longer than a claim
         * lasts.
         */
        private final Set<String> lost = new HashSet<>();

        /** The holds that have begun and not ended. */
        private final Set<String> open = new HashSet<>();

        private final Map<String, Integer> turns = new TreeMap<>();
        private final Map<String, Integer> others = new TreeMap<>();
        private int faults;
        private int handovers;
        private long last;
        private String before = "";

        Judge(List<String> log) {
            lines = log.stream().map(line -> line.split(" ", 3)).toList();
            for (String[] line : lines) {
                if (line[1].equals("lost")) {
                    lost.add(line[0] + " " + line[2]);
                }
            }
        }

        boolean isGood(String file, List<String> names) {
            for (String[] line : lines) {
                String hold = line[0] + " " + line[2];
                switch (line[1]) {
                    case "held", "read" -> begins(line, hold);
                    case "end" -> open.remove(hold);
                    case "OVERLAP" -> {
                        if (open.stream().anyMatch(lost::contains) || lost.contains(hold)) {
                            others.merge("overlaps with a hold that was reported as lost", 1, Integer::sum);
                        } else {
                            fault(file, line);
                        }
                    }
                    case "lost" -> others.merge("lost", 1, Integer::sum);
                    case "unknown" -> others.merge("no answer in time", 1, Integer::sum);
                    default -> fault(file, line);
                }
            }
            System.out.println(file + ": turns " + turns + ", between versions " + handovers + ", faults " + faults
                    + (others.isEmpty() ? "" : ", " + others));
            return faults == 0 && handovers > 10 && names.stream().allMatch(name -> turns.getOrDefault(name, 0) >= 50);
        }

        private void begins(String[] line, String hold) {
            open.add(hold);
            turns.merge(line[0], 1, Integer::sum);
            String version = line[0].replaceAll("[0-9]", "");
            handovers += before.isEmpty() || before.equals(version) ? 0 : 1;
            before = version;
            if (line[1].equals("held")) {
                if (Long.parseLong(line[2]) <= last) {
                    fault("after token " + last, line);
                }
                last = Long.parseLong(line[2]);
            }
        }

        private void fault(String what, String... line) {
            System.out.println(what + ": " + String.join(" ", line));
            faults++;
        }
    }
}
