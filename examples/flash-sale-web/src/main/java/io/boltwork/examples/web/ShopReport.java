package io.boltwork.examples.web;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.fence.StaleTokenException;
import java.io.PrintStream;
import java.util.Optional;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Reports what happens in this shop to the process that has started it, in lines on the standard output. A frozen shop needs no
 * connection for that, and a killed one leaves what it has written. {@link ShopLine} reads the lines.
 */
@Component
class ShopReport {
    private final PrintStream out = System.out;
    private final boolean enabled;
    private final LockClient locks;

    ShopReport(@Value("${sale.report}") boolean enabled, LockClient locks) {
        this.enabled = enabled;
        this.locks = locks;
        if (enabled) {
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
