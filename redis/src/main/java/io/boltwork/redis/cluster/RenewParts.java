// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.cluster;

import io.boltwork.spi.Command.Renew;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Renewed;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** A renewal of several locks in a slot that is moving. Some of their keys are at one node, some at the other. */
final class RenewParts {
    private final Consumer<Reply> handler;
    private final AtomicReferenceArray<Reply> replies;
    private final AtomicInteger outstanding;

    private RenewParts(int parts, Consumer<Reply> handler) {
        this.handler = handler;
        this.replies = new AtomicReferenceArray<>(parts);
        this.outstanding = new AtomicInteger(parts);
    }

    /** Renews each lock separately. The handler gets all results, or the first failure. */
    static void send(Renew renew, BiConsumer<Renew, Consumer<Reply>> sender, Consumer<Reply> handler) {
        List<Renew.Item> items = renew.items();
        RenewParts parts = new RenewParts(items.size(), handler);
        for (int i = 0; i < items.size(); i++) {
            int index = i;
            sender.accept(new Renew(List.of(items.get(i)), renew.notAfter()), reply -> parts.answered(index, reply));
        }
    }

    private void answered(int index, Reply reply) {
        replies.set(index, reply);
        if (outstanding.decrementAndGet() == 0) {
            handler.accept(joined());
        }
    }

    private Reply joined() {
        List<Renewed.Item> results = new ArrayList<>();
        for (int i = 0; i < replies.length(); i++) {
            if (!(replies.get(i) instanceof Renewed renewed)) {
                return replies.get(i); // repeating a renewal does no harm
            }
            results.addAll(renewed.items());
        }
        return new Renewed(((Renewed) replies.get(0)).server(), results);
    }
}
