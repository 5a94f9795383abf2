// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.web;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The demo at one moment, as the page receives it. Times are milliseconds since the epoch. Tokens are texts, because
 * they are too large for some readers of JSON.
 *
 * @param now the time
 * @param ready whether the servers run and a shop is open
 * @param shops the shops
 * @param redis the servers of the locks
 * @param lock the lock as Redis shows it
 * @param sale the running or last sale
 * @param withLock the result of the last sale with the lock
 * @param withoutLock the result of the last sale without the lock
 * @param news the latest events, the latest first
 */
record PageState(
        long now,
        boolean ready,
        List<ShopState> shops,
        RedisState redis,
        LockState lock,
        @Nullable SaleState sale,
        @Nullable SaleFigures withLock,
        @Nullable SaleFigures withoutLock,
        List<News.Item> news) {

    /**
     * A shop.
     *
     * @param name its name, which is a colour
     * @param state what it is doing
     * @param waiting the number of buyers that wait in it for the lock
     * @param locks the address of its actuator endpoint, or {@code null}
     */
    record ShopState(
            String name,
            DemoShop.State state,
            int waiting,
            @Nullable String locks) {}

    /**
     * The servers of the locks.
     *
     * @param state what the master is doing
     * @param whole whether all servers run
     * @param frozen whether a server is frozen
     * @param servers the servers
     * @param outages the times without the locks
     * @param reigns the masters, the earliest first
     */
    record RedisState(
            DemoRedis.State state,
            boolean whole,
            boolean frozen,
            List<Server> servers,
            List<DemoRedis.Outage> outages,
            List<DemoRedis.Reign> reigns) {}

    /**
     * A server of the locks.
     *
     * @param name its name
     * @param role master or replica
     * @param state up, restarting, frozen or down
     */
    record Server(String name, String role, String state) {}

    /**
     * The lock at one moment.
     *
     * @param answers whether Redis has answered just now; if not, all else is old
     * @param since the time of the last answer
     * @param holder the shop that holds the lock, or {@code null}
     * @param buyer the buyer in that shop, 0 if none has begun yet
     * @param token the fencing token
     * @param leaseLeft the remaining time of the lease
     * @param lease the length of a lease
     * @param queue the first places of the queue at Redis
     * @param queued the length of that queue
     */
    record LockState(
            boolean answers,
            long since,
            @Nullable Integer holder,
            int buyer,
            String token,
            long leaseLeft,
            long lease,
            List<Place> queue,
            int queued) {}

    /**
     * A place in the queue.
     *
     * @param position 1 or more
     * @param shop the index of the shop, -1 if it is unknown
     * @param waited for how long
     */
    record Place(int position, int shop, long waited) {}

    /**
     * A sale.
     *
     * @param number its number
     * @param running whether buyers still wait
     * @param settings what was ordered
     * @param from the time of the first request
     * @param to the time of the last answer, or {@code null}
     * @param stock the stock according to the store, or {@code null} if it is not known yet
     * @param waiting the number of buyers that wait
     * @param inside the number of buyers that are being served now
     * @param shelf the index of the shop for each item that was sold, in the order of the sales
     * @param figures the results so far
     * @param points the rate of sales, every quarter of a second
     * @param turns the purchases of the last seconds
     */
    record SaleState(
            int number,
            boolean running,
            SaleSettings settings,
            long from,
            @Nullable Long to,
            @Nullable Integer stock,
            int waiting,
            int inside,
            String shelf,
            SaleFigures figures,
            List<Double> points,
            List<Turn> turns) {}

    /**
     * A purchase.
     *
     * @param shop the index of the shop
     * @param buyer the number of the buyer
     * @param from its begin
     * @param to its end, or {@code null}
     * @param outcome how it ended
     */
    record Turn(int shop, int buyer, long from, @Nullable Long to, RunningSale.Outcome outcome) {}
}
