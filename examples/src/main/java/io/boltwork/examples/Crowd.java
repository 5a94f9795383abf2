// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.LeaseLostException;
import io.boltwork.examples.Visit.End;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** The buyers of one shop. Each is a thread that acts like a request to a web shop. */
final class Crowd {
    private static final long AWAKE_NANOS = 200_000;

    private final SalePlan plan;
    private final Gate gate;
    private final Warehouse warehouse;
    private final CompletableFuture<Long> start = new CompletableFuture<>();
    private final AtomicInteger inside = new AtomicInteger();

    Crowd(SalePlan plan, Gate gate, Warehouse warehouse) {
        this.plan = plan;
        this.gate = gate;
        this.warehouse = warehouse;
    }

    /** Starts the threads; they wait for {@link #letIn}. */
    void gather() {
        int shops = plan.shops();
        inside.set((plan.buyers() - plan.shop() + shops - 1) / shops);
        for (int number = plan.shop(); number < plan.buyers(); number += shops) {
            int buyer = number;
            Thread thread = new Thread(() -> come(buyer), "buyer-" + buyer);
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** Begins the sale at a time that is the same in all shops. */
    void letIn(long epochMillis) {
        long ahead = ChronoUnit.NANOS.between(Instant.now(), Instant.ofEpochMilli(epochMillis));
        start.complete(System.nanoTime() + ahead);
        if (inside.get() == 0) {
            System.out.println("done");
        }
    }

    private void come(int buyer) {
        try {
            long opened = start.get();
            long arrival = opened + plan.arrival(buyer);
            sleepUntil(arrival);
            System.out.println("visit " + visit(opened).toLine());
        } catch (Exception e) {
            System.out.println("failed " + e);
        }
        if (inside.decrementAndGet() == 0) {
            System.out.println("done");
        }
    }

    private Visit visit(long opened) throws InterruptedException {
        long arrived = System.nanoTime();
        while (true) {
            if (!gate.enter()) {
                return new Visit(End.TURNED_AWAY, System.nanoTime() - arrived, 0, System.nanoTime() - opened);
            }
            long entered = System.nanoTime();
            long left;
            Optional<End> end;
            try {
                end = purchase(entered);
            } finally {
                left = System.nanoTime();
                leave();
            }
            if (end.isPresent()) {
                return new Visit(end.get(), entered - arrived, left - entered, left - opened);
            }
        }
    }

    /**
     * Reads the stock, works, and writes the stock. A buyer that reads in between sells the same item again, unless the
     * warehouse refuses one of the two. The refused buyer gets nothing, and tries again.
     */
    private Optional<End> purchase(long entered) {
        long token = gate.token();
        int stock = warehouse.readStock(plan.item(), token);
        if (stock == Warehouse.STALE) {
            return Optional.empty();
        }
        sleepUntil(entered + plan.work().toNanos());
        if (stock == 0) {
            return Optional.of(End.SOLD_OUT);
        }
        return warehouse.writeStock(plan.item(), stock - 1, token) ? Optional.of(End.SOLD) : Optional.empty();
    }

    private void leave() {
        try {
            gate.leave();
        } catch (LeaseLostException e) {
            // only the warehouse's acceptance of the write counts
        }
    }

    /** Sleeps precisely to some microseconds: a sleeping thread wakes up late, so the last part is a busy wait. */
    private static void sleepUntil(long time) {
        for (long left = time - System.nanoTime(); left > 0; left = time - System.nanoTime()) {
            if (left > AWAKE_NANOS) {
                LockSupport.parkNanos(left - AWAKE_NANOS);
            } else {
                Thread.onSpinWait();
            }
        }
    }
}
