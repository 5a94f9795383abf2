// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.testkit.server.ChildJvm;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A {@link Shop} as seen from the JVM that runs the sale. Not thread-safe. */
final class ShopProcess implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration CLOSING = Duration.ofSeconds(10);

    private final ChildJvm jvm;

    private ShopProcess(ChildJvm jvm) {
        this.jvm = jvm;
    }

    /** Starts a shop with the URI of a Redis for the stock, and the URIs of one for the locks, separated by blanks. */
    static ShopProcess start(String stockUri, String lockUris) {
        ShopProcess shop = new ShopProcess(ChildJvm.start(Shop.class, JvmOptions.ofAShop(), List.of()));
        shop.send(stockUri); // not as an argument: it may contain a password, and arguments are visible to all users
        shop.send(lockUris);
        return shop;
    }

    void send(String line) {
        try {
            jvm.send(line);
        } catch (UncheckedIOException e) {
            throw new SaleFailedException("A shop's JVM has ended");
        }
    }

    void awaitReady() throws InterruptedException {
        String line = jvm.nextLine(PATIENCE);
        if (!"ready".equals(line)) {
            throw new SaleFailedException(line == null ? "A shop's JVM is not ready" : "A shop's JVM says: " + line);
        }
    }

    /** Returns the next report, or {@code null} if there is none yet. */
    @Nullable
    String poll() {
        boolean alive = jvm.isAlive();
        String line = jvm.lines().poll();
        if (line == null && !alive) {
            throw new SaleFailedException("A shop's JVM has ended");
        }
        return line;
    }

    /** Asks the shop to end; {@link #close()} waits for that. */
    void beginToClose() {
        try {
            jvm.send("close");
        } catch (UncheckedIOException e) {
            // the shop has already ended
        }
    }

    @Override
    public void close() {
        try {
            beginToClose();
            jvm.awaitExit(CLOSING);
        } catch (IllegalStateException e) {
            // the shop hangs, and is killed next
        } finally {
            jvm.close();
        }
    }
}
