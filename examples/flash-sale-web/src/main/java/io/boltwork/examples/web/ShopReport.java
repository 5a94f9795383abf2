// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.web;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.fence.StaleTokenException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Reports what happens in this shop to the process that has started it, in lines on the standard output. A frozen shop
 * needs no connection for that, and a killed one leaves what it has written. {@link ShopLine} reads the lines.
 *
 * <p>A line on the standard input announces that the shop will be frozen. The next purchase waits for that before its
 * write, so that the freeze does not have to hit a purchase of a few milliseconds.
 */
@Component
class ShopReport {
    private final PrintStream out = System.out;
    static final String FREEZE = "freeze";
    private static final long FREEZE_MILLIS = 1_000;

    private final AtomicBoolean freeze = new AtomicBoolean();
    private final boolean enabled;
    private final LockClient locks;

    ShopReport(@Value("${sale.report}") boolean enabled, LockClient locks) {
        this.enabled = enabled;
        this.locks = locks;
        if (enabled) {
            Thread reader = new Thread(this::listen, "announcements");
            reader.setDaemon(true);
            reader.start();
            locks.addListener(new LockListener() {
                @Override
                public void lost(Lost event) {
                    print(
                            ShopLine.Kind.LOST,
                            event.lockName(),
                            event.fencingToken(),
                            event.loss().reason());
                }
            });
        }
    }

    private void listen() {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                freeze.set(line.equals(FREEZE));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for a freeze that was announced, and goes on after the thaw. */
    void awaitFreeze() throws InterruptedException {
        if (freeze.compareAndSet(true, false)) {
            print(ShopLine.Kind.STANDING);
            Thread.sleep(FREEZE_MILLIS);
        }
    }

    @EventListener
    void open(WebServerInitializedEvent event) {
        print(ShopLine.Kind.OPEN, event.getWebServer().getPort());
    }

    /** Tells how many buyers wait here for a lock. */
    @Scheduled(fixedRate = 100)
    void waiting() {
        print(ShopLine.Kind.WAITING, locks.waiting());
    }

    void took(Buyer buyer, Optional<Lease> lease) {
        print(
                ShopLine.Kind.TOOK,
                buyer.item(),
                buyer.number(),
                lease.map(Lease::fencingToken).orElse(0L));
    }

    void left(Buyer buyer, boolean sold) {
        print(ShopLine.Kind.LEFT, buyer.item(), buyer.number(), sold ? 1 : 0);
    }

    void refused(Buyer buyer, StaleTokenException e) {
        print(ShopLine.Kind.REFUSED, buyer.item(), buyer.number(), e.token(), e.newerToken());
    }

    void failed(Buyer buyer) {
        print(ShopLine.Kind.FAILED, buyer.item(), buyer.number());
    }

    private void print(ShopLine.Kind kind, Object... words) {
        if (enabled) {
            out.println(ShopLine.text(kind, System.currentTimeMillis(), words));
        }
    }
}
