package io.boltwork.examples.web;

import io.boltwork.LockClient;
import io.boltwork.LockInfo;
import io.boltwork.spi.Printable;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/** Sends the state of the sale to each open page, four times a second. */
@RestController
class SaleEvents {
    private final RedisStock stock;
    private final LockClient locks;
    private final List<SseEmitter> viewers = new CopyOnWriteArrayList<>();
    private long servedBefore;
    private long lookedAt = System.nanoTime();

    SaleEvents(RedisStock stock, LockClient locks) {
        this.stock = stock;
        this.locks = locks;
    }

    /**
     * The sale at one moment.
     *
     * @param stock the remaining stock
     * @param sold the number of items sold in all shops
     * @param late the number of buyers who came after the stock was sold out
     * @param holder the holder of the lock
     * @param queue the number of instances that wait for the lock
     * @param waiting the number of buyers that wait in this shop
     * @param perSecond the number of buyers served per second
     */
    record Moment(int stock, long sold, long late, String holder, int queue, int waiting, double perSecond) {}

    @GetMapping("/events")
    SseEmitter look() {
        SseEmitter viewer = new SseEmitter(0L);
        viewer.onCompletion(() -> viewers.remove(viewer));
        viewer.onError(gone -> viewers.remove(viewer));
        viewers.add(viewer);
        return viewer;
    }

    @Scheduled(fixedRate = 250)
    void tell() {
        if (viewers.isEmpty()) {
            return;
        }
        Moment moment = moment();
        for (SseEmitter viewer : viewers) {
            try {
                viewer.send(moment);
            } catch (IOException | IllegalStateException gone) {
                viewers.remove(viewer);
            }
        }
    }

    private Moment moment() {
        Map<Object, Object> counts = stock.counts();
        long sold = count(counts, "sold");
        long late = count(counts, "late");
        LockInfo lock = locks.inspector().describe("stock:1001");
        long now = System.nanoTime();
        double perSecond = Math.max(0, sold + late - servedBefore) * 1e9 / Math.max(1, now - lookedAt);
        servedBefore = sold + late;
        lookedAt = now;
        return new Moment(
                stock.left(),
                sold,
                late,
                lock.holders().stream()
                        .findFirst()
                        .flatMap(LockInfo.Holder::client)
                        .map(client -> Printable.text(client.application() + " " + client.pid()))
                        .orElse("none"),
                lock.queue().size(),
                locks.waiting(),
                perSecond);
    }

    private static long count(Map<Object, Object> counts, String name) {
        return Long.parseLong(String.valueOf(counts.getOrDefault(name, "0")));
    }
}
