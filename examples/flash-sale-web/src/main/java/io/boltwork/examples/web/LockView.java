// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.web;

import io.boltwork.BackendException;
import io.boltwork.ClientInfo;
import io.boltwork.ClientOptions;
import io.boltwork.LockClient;
import io.boltwork.LockInfo;
import io.boltwork.redis.RedisBackend;
import io.boltwork.redis.RedisOptions;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Looks at the lock in Redis, again and again, in a thread of its own, because Redis may be frozen. Thread-safe. */
final class LockView implements AutoCloseable {
    private static final long PAUSE_MILLIS = 60;
    private static final long OLD_MILLIS = 700;

    private final LockClient client;
    private final Thread thread = new Thread(this::look, "lock-view");
    private volatile String lock = "stock:none";
    private volatile @Nullable LockInfo seen;
    private volatile long seenAt = System.currentTimeMillis();

    LockView(String uri) {
        client = LockClient.create(
                RedisBackend.connect(
                        uri.replace("#", "?timeout=500ms#"),
                        RedisOptions.defaults().withLazyConnect(true)),
                ClientOptions.defaults().withApplication("demo"));
        thread.setDaemon(true);
        thread.start();
    }

    void watch(String name) {
        seen = null;
        lock = name;
    }

    private void look() {
        while (!Thread.currentThread().isInterrupted()) {
            String name = lock;
            try {
                LockInfo info = client.inspector().describe(name);
                if (name.equals(lock)) {
                    seen = info;
                }
                seenAt = System.currentTimeMillis();
            } catch (BackendException unreachable) {
                // the page says so, because seenAt grows old
            }
            try {
                Thread.sleep(PAUSE_MILLIS);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** Returns the index of the shop that holds the lock, or {@code null}. */
    @Nullable
    Integer holder(List<DemoShop> shops) {
        LockInfo info = seen;
        if (info == null || info.holders().isEmpty()) {
            return null;
        }
        int shop = shopOf(info.holders().get(0).client(), shops);
        return shop < 0 ? null : shop;
    }

    PageState.LockState state(List<DemoShop> shops, @Nullable RunningSale sale, long leaseMillis, int places) {
        LockInfo info = seen;
        long at = seenAt;
        boolean answers = System.currentTimeMillis() - at < OLD_MILLIS;
        Integer holder = holder(shops);
        long token = holder == null || sale == null ? 0 : sale.tokenIn(shops.get(holder));
        int buyer = holder == null || sale == null ? 0 : sale.buyerIn(shops.get(holder));
        if (info == null || info.holders().isEmpty()) {
            return new PageState.LockState(answers, at, null, 0, "", 0, leaseMillis, places(info, shops, places), 0);
        }
        LockInfo.Holder held = info.holders().get(0);
        return new PageState.LockState(
                answers,
                at,
                holder,
                buyer,
                Long.toString(token > 0 ? token : held.fencingToken()),
                held.remaining().toMillis(),
                leaseMillis,
                places(info, shops, places),
                info.queue().size());
    }

    private static List<PageState.Place> places(@Nullable LockInfo info, List<DemoShop> shops, int places) {
        return info == null
                ? List.of()
                : info.queue().stream()
                        .limit(places)
                        .map(waiting -> new PageState.Place(
                                waiting.position(),
                                shopOf(waiting.client(), shops),
                                waiting.waited().toMillis()))
                        .toList();
    }

    private static int shopOf(Optional<ClientInfo> client, List<DemoShop> shops) {
        return client.flatMap(known ->
                        shops.stream().filter(shop -> shop.pid() == known.pid()).findFirst())
                .map(DemoShop::index)
                .orElse(-1);
    }

    @Override
    public void close() {
        thread.interrupt();
        client.close();
    }
}
