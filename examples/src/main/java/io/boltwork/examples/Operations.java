// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.BusyLock;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockInfo;
import io.boltwork.LockInspector;
import io.boltwork.LockListener;
import io.boltwork.LockOptions;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The snippets of docs/run/operations.md. */
final class Operations {

    /** The application's own library for metrics. */
    interface Metrics {
        void count(String name, Object tag);

        void time(String name, Object tag, Duration time);
    }

    private Operations() {}

    static void look(LockClient locks, PrintStream out) {
        // @start region="look"
        LockInspector inspector = locks.inspector();
        inspector.clients().forEach(client -> out.println(client + ", wire version " + client.wireVersion()));
        inspector.list("stock:*", 100).forEach(out::println);
        out.println(inspector.describe("stock:1001"));
        // @end
    }

    static Map<String, Long> busiest(LockInspector inspector) {
        // @start region="busiest"
        Map<String, Long> turns = inspector.clients().stream()
                .flatMap(client -> client.busiest().stream())
                .collect(Collectors.groupingBy(BusyLock::name, Collectors.summingLong(BusyLock::turns)));
        // @end
        return turns;
    }

    static boolean force(LockInspector inspector, String name) {
        // @start region="force"
        // only this holder, not a later one if the lock has changed hands since
        boolean taken = false;
        for (LockInfo.Holder holder : inspector.describe(name).holders()) {
            taken = inspector.forceRelease(name, holder.fencingToken());
        }
        // @end
        return taken;
    }

    static FencedLock retained(LockClient locks) {
        // @start region="retention"
        // a client that takes it again within 2 s needs no request, as long as no other client wants it
        LockOptions options = LockOptions.renewedLease(Duration.ofSeconds(5)).withRetention(Duration.ofSeconds(2));
        FencedLock shard = locks.lock("shard:17", options);
        // @end
        return shard;
    }

    static boolean firstFor(LockClient locks, String event, Duration quiet) {
        // @start region="cool-down"
        // the first caller gets the lock and releases it at once; it stays closed in all JVMs until the time is over
        LockOptions once = LockOptions.defaults().withMinHold(quiet);
        Optional<Lease> first = locks.lock("quiet:" + event, once).tryAcquire();
        first.ifPresent(Lease::release);
        // @end
        return first.isPresent();
    }

    static void metrics(LockClient locks, Metrics metrics) {
        // @start region="metrics"
        locks.addListener(new LockListener() {
            @Override
            public void waited(Waited event) {
                metrics.time("lock.waited", event.outcome(), event.waited());
            }

            @Override
            public void released(Released event) {
                metrics.time("lock.held", "released", event.held());
            }

            @Override
            public void lost(Lost event) {
                metrics.time("lock.held", "lost", event.held());
                metrics.count("lock.lost", event.loss().reason());
            }

            @Override
            public void abandoned(Abandoned event) {
                metrics.count("lock.abandoned", event.absence());
            }

            @Override
            public void backendUp(BackendUp event) {
                metrics.time("lock.outage", event.anotherServer(), event.outage());
            }
        });
        // @end
    }
}
