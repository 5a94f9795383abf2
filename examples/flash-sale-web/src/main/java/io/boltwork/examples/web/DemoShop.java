// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.web;

import io.boltwork.testkit.server.ChildJvm;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A shop of the demo, in a JVM of its own, which can be killed, frozen, thawed and started again. Thread-safe. */
final class DemoShop implements AutoCloseable {
    static final List<String> NAMES = List.of("Blue", "Orange", "Green", "Pink");

    /** The state of a shop. */
    enum State {
        CLOSED,
        STARTING,
        OPEN,
        FREEZING,
        FROZEN
    }

    private final int index;
    private final Function<String, ChildJvm> starter;
    private final BiConsumer<DemoShop, ShopLine> listener;

    private @Nullable ChildJvm jvm;
    private volatile State state = State.CLOSED;
    private volatile int port;
    private volatile int waiting;
    private volatile boolean standing;
    private volatile long pid;

    /**
     * Creates a shop that is closed.
     *
     * @param index its place in {@link #NAMES}
     * @param starter starts the JVM of a shop with a name
     * @param listener receives what the shop reports
     */
    DemoShop(int index, Function<String, ChildJvm> starter, BiConsumer<DemoShop, ShopLine> listener) {
        this.index = index;
        this.starter = starter;
        this.listener = listener;
    }

    int index() {
        return index;
    }

    String name() {
        return NAMES.get(index);
    }

    State state() {
        return state;
    }

    void state(State next) {
        state = next;
    }

    long pid() {
        return pid;
    }

    int port() {
        return port;
    }

    /** Returns the number of buyers that wait in the shop for a lock, as it last reported. */
    int waiting() {
        return waiting;
    }

    String url(String path) {
        return "http://127.0.0.1:" + port + path;
    }

    synchronized void start() {
        close();
        waiting = 0;
        state = State.STARTING;
        ChildJvm started = starter.apply(name());
        jvm = started;
        pid = started.pid();
        Thread reader = new Thread(() -> read(started), "shop-" + name());
        reader.setDaemon(true);
        reader.start();
    }

    private void read(ChildJvm from) {
        try {
            while (from.isAlive() || !from.lines().isEmpty()) {
                String line = from.nextLine(Duration.ofMillis(200));
                if (line != null) {
                    ShopLine.read(line).ifPresent(this::heard);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        synchronized (this) {
            if (jvm == from) { // it has ended by itself
                state = State.CLOSED;
                waiting = 0;
            }
        }
    }

    private void heard(ShopLine line) {
        switch (line.kind()) {
            case OPEN -> {
                port = (int) line.number(0);
            }
            case STANDING -> standing = true;
            case WAITING -> waiting = (int) line.number(0);
            default -> {
                // only for the listener
            }
        }
        listener.accept(this, line);
    }

    /** Opens after a rehearsal, unless it was closed meanwhile. */
    synchronized void opened() {
        if (state == State.STARTING) {
            state = State.OPEN;
        }
    }

    /** Announces a freeze. */
    synchronized void announce(boolean freeze) {
        standing = false;
        if (jvm != null && jvm.isAlive()) {
            jvm.send(freeze ? ShopReport.FREEZE : "");
        }
    }

    /** Returns whether a purchase waits for the freeze that was announced. */
    boolean isStanding() {
        return standing;
    }

    synchronized void suspend() {
        if (jvm != null && jvm.isAlive()) {
            jvm.freeze();
        }
    }

    synchronized void resume() {
        if (jvm != null && jvm.isAlive()) {
            jvm.thaw();
        }
    }

    /** Kills the JVM. Idempotent. */
    @Override
    public synchronized void close() {
        state = State.CLOSED;
        waiting = 0;
        if (jvm != null) {
            jvm.close();
            jvm = null;
        }
    }
}
