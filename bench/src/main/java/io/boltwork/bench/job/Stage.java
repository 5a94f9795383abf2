// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.job;

import io.boltwork.bench.contender.BenchDeployment;
import io.boltwork.bench.contender.ExclusionBoard;
import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.entrant.ServerCounters;
import io.boltwork.bench.entrant.Usage;
import io.boltwork.bench.measure.Awake;
import io.boltwork.bench.measure.Json;
import io.boltwork.bench.measure.Machine;
import io.boltwork.bench.measure.MeasurementFailedException;
import io.boltwork.bench.measure.WorkOutcome;
import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.server.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The servers and workers of one measurement. They are new for each measurement, so that an earlier measurement leaves
 * no traces. Not thread-safe.
 */
public final class Stage implements AutoCloseable {
    /** The number of locks on the {@link ExclusionBoard}. */
    static final int SLOTS = 10_240;

    private static final Duration GETTING_READY = Duration.ofSeconds(120);
    private static final Duration GLANCE = Duration.ofMillis(50);

    private final Entrant entrant;
    private final BenchDeployment deployment;
    private final BenchServers servers;
    private final Path directory;
    private final ExclusionBoard board;
    private final List<ChildJvm> workers = new ArrayList<>();

    /** The processor time of killed workers, in seconds. */
    private double killed;

    private Stage(BenchDeployment deployment, Entrant entrant, int independent) {
        this.deployment = deployment;
        this.entrant = entrant;
        try {
            directory = Files.createTempDirectory("boltwork-bench");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        board = ExclusionBoard.in(boardFile(), SLOTS);
        servers = independent > 1 ? BenchServers.start(independent) : BenchServers.start(deployment);
    }

    /** Starts the servers and the workers and lets them warm up. */
    public static Stage set(BenchPlan plan, Entrant entrant, Setup setup) throws InterruptedException {
        Stage stage = new Stage(plan.deployment(), entrant, setup.servers());
        try {
            for (int jvm = 0; jvm < setup.jvms(); jvm++) {
                stage.addWorker(setup, jvm);
            }
            for (int jvm = 0; jvm < setup.jvms(); jvm++) {
                stage.expect(jvm, Worker.READY, GETTING_READY);
            }
            return stage;
        } catch (Throwable e) {
            stage.close();
            throw e;
        }
    }

    private void addWorker(Setup setup, int jvm) {
        Order order = new Order(
                entrant.id(),
                deployment,
                servers.uris(),
                setup.lease().toMillis(),
                setup.renewed(),
                setup.clients(),
                boardFile().toString(),
                jvm,
                setup.job(),
                setup.numbers());
        ChildJvm worker = ChildJvm.start(Worker.class, jvmOptions(setup), List.of());
        workers.add(worker);
        worker.send(Json.line(order));
    }

    private static List<String> jvmOptions(Setup setup) {
        List<String> options = new ArrayList<>();
        options.add("-Xms" + setup.heapMegabytes() + "m");
        options.add("-Xmx" + setup.heapMegabytes() + "m");
        options.add("-Dslf4j.internal.verbosity=ERROR");
        if (Runtime.version().feature() >= 24) { // Netty needs both to work without warnings
            options.add("--enable-native-access=ALL-UNNAMED");
            options.add("--sun-misc-unsafe-memory-access=allow");
        }
        return options;
    }

    /** Returns the only Redis server, for scenarios that look into it. */
    public RedisServer redis() {
        return servers.all().get(0);
    }

    /** Returns the address of the first server. */
    public String uri() {
        return servers.uris().get(0);
    }

    public ExclusionBoard board() {
        return board;
    }

    /** Sends a line to one worker. */
    public void tell(int jvm, String line) {
        workers.get(jvm).send(line);
    }

    /** Kills one worker (SIGKILL). */
    public void kill(int jvm) {
        ChildJvm worker = workers.get(jvm);
        double used = Machine.of(List.of(worker.pid()));
        worker.kill();
        killed += used;
    }

    /** Starts the work of all workers. */
    public void go() {
        workers.forEach(worker -> worker.send(Worker.GO));
    }

    /** Starts the work of one worker. */
    public void go(int jvm) {
        workers.get(jvm).send(Worker.GO);
    }

    /** Returns the measurements of all workers. */
    public WorkOutcome outcome(Duration patience) throws InterruptedException {
        List<WorkOutcome> parts = new ArrayList<>();
        for (int jvm = 0; jvm < workers.size(); jvm++) {
            parts.add(outcome(jvm, patience));
        }
        return WorkOutcome.together(parts);
    }

    /** Returns the measurements of one worker. */
    public WorkOutcome outcome(int jvm, Duration patience) throws InterruptedException {
        return Json.parse(line(jvm, patience), WorkOutcome.class);
    }

    /** Waits until a worker sends a line. */
    public void expect(int jvm, String expected, Duration patience) throws InterruptedException {
        String line = line(jvm, patience);
        if (!line.equals(expected)) {
            throw new MeasurementFailedException("a worker sent '" + line + "' instead of '" + expected + "'");
        }
    }

    private String line(int jvm, Duration patience) throws InterruptedException {
        ChildJvm worker = workers.get(jvm);
        long end = System.nanoTime() + patience.toNanos();
        while (true) {
            boolean alive = worker.isAlive();
            @Nullable String line = worker.lines().poll(GLANCE.toNanos(), TimeUnit.NANOSECONDS);
            if (line != null) {
                return line;
            }
            if (!alive) {
                throw new MeasurementFailedException("a worker has ended; its output is above");
            }
            if (System.nanoTime() - end >= 0) {
                throw new MeasurementFailedException("a worker has not answered within " + patience.toSeconds() + " s");
            }
        }
    }

    /** Starts to count what the measurement uses. */
    public Meter meter() {
        return new Meter();
    }

    /** Counts what the measurement uses from its creation until it is read. */
    public final class Meter {
        private final List<Long> own = new ArrayList<>();
        private final List<Long> serving = servers.pids();
        private final long begin = System.nanoTime();
        private final double busy;
        private final double ours;
        private final List<ServerCounters> before;

        private Meter() {
            own.add(ProcessHandle.current().pid());
            workers.forEach(worker -> own.add(worker.pid()));
            own.addAll(Awake.pids());
            busy = Machine.busy();
            ours = usedByUs();
            before = servers.counters();
        }

        public Usage read() {
            ServerCounters used = ServerCounters.since(before, servers.counters());
            double others = (Machine.busy() - busy) - (usedByUs() - ours);
            return new Usage(used, Math.max(0, others) / ((System.nanoTime() - begin) / 1e9));
        }

        private double usedByUs() {
            return Machine.of(own) + Machine.ofTrees(serving) + killed;
        }
    }

    private Path boardFile() {
        return directory.resolve("board");
    }

    @Override
    public void close() {
        workers.forEach(ChildJvm::close); // killed: there is nothing to clean up
        servers.close();
        try {
            Files.deleteIfExists(boardFile());
            Files.deleteIfExists(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
