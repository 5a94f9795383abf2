// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import java.util.List;

/**
 * A stage on the way to a lock that holds: a hand-written lock and its traps.
 *
 * @param number the number, from 1
 * @param title the idea of the lock
 * @param next what the next stage mends
 * @param traps the faults, each shown on a real server
 */
record HandmadeStage(int number, String title, String next, List<Trap> traps) {
    /** All stages, in order. */
    static final List<HandmadeStage> ALL = List.of(
            new HandmadeStage(
                    1,
                    "SETNX, then EXPIRE",
                    "Stage 2 sets the value and the expiry in one command.",
                    OneKeyTraps.SETNX),
            new HandmadeStage(
                    2, "SET NX PX, and a plain DEL", "Stage 3 deletes only its own value.", OneKeyTraps.PLAIN_DEL),
            new HandmadeStage(
                    3, "GET, compare, DEL", "Stage 4 compares and deletes in one script.", OneKeyTraps.COMPARED),
            new HandmadeStage(
                    4,
                    "The owner compared in Lua",
                    "Stage 5 is the older way that some articles still show. Stage 6 renews the lease.",
                    OneKeyTraps.LUA),
            new HandmadeStage(
                    5,
                    "The time of expiry as the value, GETSET",
                    "Stage 6 leaves the time to the server, and renews the lease.",
                    OneKeyTraps.EXPIRY_VALUE),
            new HandmadeStage(
                    6,
                    "A hash, Lua and a timer on StringRedisTemplate",
                    "Stage 7 waits for a message in place of asking every 50 ms.",
                    TemplateTraps.ALL),
            new HandmadeStage(
                    7, "Pub/sub wakes the waiters", "Stage 8 gives the waiters an order.", WaitingTraps.PUB_SUB),
            new HandmadeStage(
                    8,
                    "A fair queue: a list and a sorted set",
                    "Stage 9 adds a replica, for a Redis that dies.",
                    WaitingTraps.QUEUE),
            new HandmadeStage(
                    9, "A replica, and a failover", "Stage 10 asks a majority of masters.", ManyServersTraps.FAILOVER),
            new HandmadeStage(
                    10,
                    "Redlock by hand on five masters",
                    "Stage 11 uses the database itself.",
                    ManyServersTraps.REDLOCK),
            new HandmadeStage(
                    11,
                    "A version column, and a row lock",
                    "Stage 12 has a lock that ends with its holder.",
                    OtherStoreTraps.DATABASE),
            new HandmadeStage(
                    12,
                    "An ephemeral node in ZooKeeper",
                    "Stage 13 tells of each loss, and refuses late writes.",
                    OtherStoreTraps.ZOOKEEPER),
            new HandmadeStage(13, "Boltwork, in the same traps", "", BoltworkTraps.ALL));
}
