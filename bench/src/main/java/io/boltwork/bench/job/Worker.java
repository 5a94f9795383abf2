// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.job;

import com.sun.management.OperatingSystemMXBean;
import io.boltwork.bench.contender.Contender;
import io.boltwork.bench.contender.ExclusionBoard;
import io.boltwork.bench.contender.Setting;
import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.measure.Json;
import io.boltwork.bench.measure.WorkOutcome;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A JVM under measurement. It reads an {@link Order}, warms up, sends {@code ready}, waits for {@code go}, and sends
 * its measurements as a {@link WorkOutcome}. It ends when it receives {@code end}, or with the bench.
 */
public final class Worker {
    static final String READY = "ready";
    static final String GO = "go";
    static final String END = "end";

    private Worker() {}

    public static void main(String[] args) {
        try {
            measure();
            System.exit(0);
        } catch (Throwable e) { // otherwise a library's threads would keep the JVM alive and the bench waiting
            e.printStackTrace();
            System.exit(1);
        }
    }

    private static void measure() throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Order order = Json.parse(in.readLine(), Order.class);
        BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        Thread reader = new Thread(() -> read(in, lines), "orders");
        reader.setDaemon(true);
        reader.start();

        Entrant entrant = Entrant.of(order.contender());
        Setting setting =
                new Setting(order.deployment(), order.uris(), Duration.ofMillis(order.leaseMillis()), order.renewed());
        List<Contender> clients = new ArrayList<>();
        for (int i = 0; i < order.clients(); i++) {
            clients.add(entrant.open(setting));
        }
        JobContext site = new JobContext(order, clients, ExclusionBoard.in(Path.of(order.board()), Stage.SLOTS), lines);
        Job job = Job.of(site);
        job.warmUp();
        site.say(READY);
        site.await(GO);
        site.say(Json.line(job.run()));
        site.await(END);
        clients.forEach(Contender::close);
    }

    /** Returns the processor time of this JVM so far, in seconds. */
    public static double cpuSeconds() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime() / 1e9;
    }

    private static void read(BufferedReader in, BlockingQueue<String> lines) {
        try {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                lines.add(line);
            }
        } catch (IOException e) {
            System.err.println("The bench has ended: " + e.getMessage());
        }
        lines.add(END);
    }
}
