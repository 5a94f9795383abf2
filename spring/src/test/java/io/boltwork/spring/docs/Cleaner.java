// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.docs;

import io.boltwork.Leadership;
import io.boltwork.spring.LeaderElected;
import io.boltwork.spring.LeaderRevoked;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.Scheduled;

/** Jobs of the leader. */
class Cleaner {
    private final Leadership leadership;
    private final List<String> done = new CopyOnWriteArrayList<>();

    Cleaner(Leadership leadership) {
        this.leadership = leadership;
    }

    // @start region="leader"
    @Scheduled(fixedDelay = 60_000)
    public void cleanUp() {
        leadership.lease().ifPresent(lease -> clean(lease.fencingToken())); // only on the leader
    }

    @EventListener
    public void begin(LeaderElected event) {
        openFeed(event.lease().fencingToken());
    }

    @EventListener
    public void end(LeaderRevoked event) {
        closeFeed(); // another instance leads after this
    }
    // @end

    private void clean(long fencingToken) {
        done.add("clean " + fencingToken);
    }

    private void openFeed(long fencingToken) {
        done.add("open " + fencingToken);
    }

    private void closeFeed() {
        done.add("close");
    }

    List<String> done() {
        return done;
    }
}
