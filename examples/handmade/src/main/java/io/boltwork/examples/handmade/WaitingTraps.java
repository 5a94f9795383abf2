// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import static io.boltwork.examples.handmade.TrapServers.KEY;
import static io.boltwork.examples.handmade.TrapServers.LEASE;

import io.boltwork.testkit.fault.Fault;
import io.boltwork.testkit.fault.FaultyLink;
import io.boltwork.testkit.wait.Await;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;

/** The traps of locks for which clients wait: stages 7 and 8. */
final class WaitingTraps {
    static final List<Trap> PUB_SUB =
            List.of(Trap.onRedis("lost-message", "the message of the release is lost", WaitingTraps::lostMessage));
    static final List<Trap> QUEUE =
            List.of(Trap.onRedis("dead-waiter", "dead clients in the queue", WaitingTraps::deadWaiter));

    private WaitingTraps() {}

    private static void lostMessage(TrapServers servers, TrapLog log) throws Exception {
        log.showing(servers::lock);
        FaultyLink link = servers.closing(FaultyLink.to(servers.redis()));
        PubSubLock a = pubSub(servers, servers.redis().uri());
        a.lock("A", LEASE);
        log.a("lock() returns");
        PubSubLock b = pubSub(servers, link.uri());
        Future<Boolean> waiting = servers.inThread("client B", () -> {
            b.lock("B", LEASE);
            return true;
        });
        TrapServers.awaitWaiting("client B");
        log.b("lock() waits for a message");
        Fault broken = link.unreachable();
        broken.inject();
        Await.until("A is the only subscriber", () -> subscribers(servers) == 1);
        log.b("its connection breaks");
        long told = a.unlock("A");
        log.a("unlock: DEL and PUBLISH, received by " + told + ", A itself");
        broken.heal();
        Await.until("B has subscribed again", () -> subscribers(servers) == 2);
        log.b("connects and subscribes again");
        boolean free = servers.observer().exists(KEY) == 0;
        TrapServers.awaitWaiting("client B");
        log.b("still waits");
        log.end(
                told == 1 && free && !waiting.isDone(),
                TrapVerdict.WAITS_FOR_EVER,
                "Redis keeps no message for a client that is away.");
    }

    private static PubSubLock pubSub(TrapServers servers, String uri) {
        return new PubSubLock(
                servers.connect(uri), servers.closing(servers.lettuce().connectPubSub(RedisURI.create(uri))), KEY);
    }

    private static long subscribers(TrapServers servers) {
        String channel = KEY + ":released";
        return servers.observer().pubsubNumsub(channel).getOrDefault(channel, 0L);
    }

    private static void deadWaiter(TrapServers servers, TrapLog log) {
        log.showing(() -> servers.lock() + ", queue: " + servers.observer().lrange(KEY + ":queue", 0, -1));
        Duration patience = Duration.ofSeconds(5);
        FairQueueLock a = new FairQueueLock(servers.connect(), KEY, patience);
        FairQueueLock b = new FairQueueLock(servers.connect(), KEY, patience);
        StatefulRedisConnection<String, String> dying =
                servers.open(servers.redis().uri());
        log.a("tryLock: " + a.tryLock("A", LEASE));
        for (String dead : List.of("C", "D")) {
            new FairQueueLock(dying.sync(), KEY, patience).tryLock(dead, LEASE);
        }
        log.b("clients C and D queue");
        dying.close();
        log.b("clients C and D die");
        b.tryLock("B", LEASE);
        log.b("tryLock: false, queues");
        a.unlock("A");
        log.a("unlock");
        boolean second = b.tryLock("B", LEASE);
        log.b("tryLock: " + second);
        passTime(servers, "C");
        log.server("5 s later: C is given up");
        boolean third = b.tryLock("B", LEASE);
        boolean free = servers.observer().exists(KEY) == 0;
        log.b("tryLock: " + third);
        passTime(servers, "D");
        log.server("10 s later: D is given up");
        log.b("tryLock: " + b.tryLock("B", LEASE));
        log.end(
                !second && !third && free && "B".equals(servers.observer().get(KEY)),
                TrapVerdict.STALLED,
                "Each of them costs the others 5 s.");
    }

    /** Moves the deadline of a client into the past. */
    private static void passTime(TrapServers servers, String owner) {
        servers.observer().zadd(KEY + ":deadlines", 0, owner);
    }
}
