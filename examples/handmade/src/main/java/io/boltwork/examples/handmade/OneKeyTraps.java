// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import static io.boltwork.examples.handmade.TrapServers.KEY;
import static io.boltwork.examples.handmade.TrapServers.LEASE;

import io.boltwork.testkit.server.ChildJvm;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;

/** The traps of locks that are one key with one value: stages 1 to 5. */
final class OneKeyTraps {
    static final List<Trap> SETNX =
            List.of(Trap.onRedis("crash-before-expire", "a crash between SETNX and EXPIRE", OneKeyTraps::crash));
    static final List<Trap> PLAIN_DEL =
            List.of(Trap.onRedis("plain-del", "DEL removes the lock of another owner", OneKeyTraps::plainDel));
    static final List<Trap> COMPARED =
            List.of(Trap.onRedis("get-compare-del", "the lease ends between GET and DEL", OneKeyTraps::compared));
    static final List<Trap> LUA = List.of(
            Trap.onRedis("lease-ends", "the work takes longer than the lease", OneKeyTraps::leaseEnds),
            Trap.onRedis("slip-key", "a slip: DEL of a key that was never locked", OneKeyTraps::wrongKey),
            Trap.onRedis("slip-type", "a slip: \"1\".equals(Long)", OneKeyTraps::wrongType),
            Trap.onRedis("slip-unit", "a slip: EX with milliseconds", OneKeyTraps::wrongUnit));
    static final List<Trap> EXPIRY_VALUE = List.of(
            Trap.onRedis("clock-skew", "the clock of a client is fast", OneKeyTraps::skew),
            Trap.onRedis("getset-overwrites", "GETSET of a client that was too late", OneKeyTraps::overwritten));

    private OneKeyTraps() {}

    private static void crash(TrapServers servers, TrapLog log) throws Exception {
        log.showing(servers::lock);
        ChildJvm a = servers.jvm("setnx", servers.redis().uri());
        TrapServers.line(a);
        log.a("SETNX: true");
        a.kill();
        log.a("the JVM is killed before EXPIRE");
        SetnxThenExpireLock b = new SetnxThenExpireLock(servers.connect(), KEY);
        boolean second = b.tryLock("B", LEASE);
        log.b("SETNX: " + second);
        boolean expires = servers.observer().pttl(KEY) >= 0;
        log.end(
                !second && !expires,
                TrapVerdict.HELD_FOR_EVER,
                "A is dead, and its key has no expiry. No client can lock any more.");
    }

    private static void plainDel(TrapServers servers, TrapLog log) {
        log.showing(servers::lock);
        SetNxExLock a = new SetNxExLock(servers.connect(), KEY);
        SetNxExLock b = new SetNxExLock(servers.connect(), KEY);
        SetNxExLock c = new SetNxExLock(servers.connect(), KEY);
        log.a("tryLock: " + a.tryLock("A", LEASE));
        servers.endLease();
        log.server("the lease of A ends");
        boolean second = b.tryLock("B", LEASE);
        log.b("tryLock: " + second);
        a.unlock();
        log.a("unlock: DEL");
        boolean third = c.tryLock("C", LEASE);
        log.b("client C: tryLock: " + third);
        log.end(
                second && third,
                TrapVerdict.TWO_INSIDE,
                "A has deleted the lock of B, so C is inside together with B.");
    }

    private static void compared(TrapServers servers, TrapLog log) {
        log.showing(servers::lock);
        boolean[] second = {false};
        GetCompareDelLock b = new GetCompareDelLock(servers.connect(), KEY);
        RedisCommands<String, String> paused = PausedCommands.before(servers.connect(), "del", () -> {
            log.a("unlock: GET is A, equal");
            servers.endLease();
            log.server("the lease of A ends");
            second[0] = b.tryLock("B", LEASE);
            log.b("tryLock: " + second[0]);
        });
        GetCompareDelLock a = new GetCompareDelLock(paused, KEY);
        log.a("tryLock: " + a.tryLock("A", LEASE));
        a.unlock("A");
        log.a("unlock: DEL");
        boolean third = new GetCompareDelLock(servers.connect(), KEY).tryLock("C", LEASE);
        log.b("client C: tryLock: " + third);
        log.end(
                second[0] && third,
                TrapVerdict.TWO_INSIDE,
                "The comparison was right when it was made, and wrong at DEL.");
    }

    private static void leaseEnds(TrapServers servers, TrapLog log) {
        log.showing(() -> servers.lock() + ", stock: " + servers.observer().get("stock"));
        RedisCommands<String, String> redisOfA = servers.connect();
        RedisCommands<String, String> redisOfB = servers.connect();
        LuaReleaseLock a = new LuaReleaseLock(redisOfA, KEY);
        LuaReleaseLock b = new LuaReleaseLock(redisOfB, KEY);
        redisOfA.set("stock", "10");
        a.tryLock("A", LEASE);
        int seenByA = Integer.parseInt(redisOfA.get("stock"));
        log.a("tryLock: true; stock is " + seenByA);
        servers.endLease();
        log.server("the lease of A ends");
        boolean second = b.tryLock("B", LEASE);
        int seenByB = Integer.parseInt(redisOfB.get("stock"));
        log.b("tryLock: " + second + "; stock is " + seenByB);
        redisOfB.set("stock", String.valueOf(seenByB - 1));
        log.b("sells one");
        redisOfA.set("stock", String.valueOf(seenByA - 1));
        log.a("sells one");
        boolean released = a.unlock("A");
        log.a("unlock: " + released + ", too late");
        log.end(
                second && !released && "9".equals(servers.observer().get("stock")),
                TrapVerdict.TWO_INSIDE,
                "Two are sold, and the stock is less by one. A learns of it at the end, if it looks.");
    }

    private static void wrongKey(TrapServers servers, TrapLog log) {
        log.showing(() -> "lock:stock: " + TrapServers.orDash(servers.observer().get("lock:stock")));
        SlippedLocks.WrongKey a = new SlippedLocks.WrongKey(servers.connect(), "stock");
        SlippedLocks.WrongKey b = new SlippedLocks.WrongKey(servers.connect(), "stock");
        log.a("tryLock: " + a.tryLock("A", LEASE));
        a.unlock();
        log.a("unlock: DEL lockstock, which returns 0");
        boolean second = b.tryLock("B", LEASE);
        log.b("tryLock: " + second);
        log.end(
                !second,
                TrapVerdict.HELD_BY_NO_CLIENT,
                "The key in DEL is another one, so each lock lasts for its lease.");
    }

    private static void wrongType(TrapServers servers, TrapLog log) {
        log.showing(servers::lock);
        boolean first = new SlippedLocks.WrongType(servers.connect(), KEY).tryLock("A", LEASE);
        log.a("tryLock: " + first + ", gives up");
        boolean second = new SlippedLocks.WrongType(servers.connect(), KEY).tryLock("B", LEASE);
        log.b("tryLock: " + second + ", gives up");
        boolean held = "A".equals(TrapServers.orDash(servers.observer().get(KEY)));
        log.end(
                !first && !second && held,
                TrapVerdict.HELD_BY_NO_CLIENT,
                "A has the lock and is told that it has not. The script returned a Long, which equals no text.");
    }

    private static void wrongUnit(TrapServers servers, TrapLog log) {
        log.showing(() -> servers.lock() + ", expires in "
                + Duration.ofSeconds(servers.observer().ttl(KEY)).toMinutes() + " min");
        log.a("tryLock with 30 s: " + new SlippedLocks.WrongUnit(servers.connect(), KEY).tryLock("A", LEASE));
        log.a("dies");
        boolean second = new SlippedLocks.WrongUnit(servers.connect(), KEY).tryLock("B", LEASE);
        log.b("tryLock: " + second);
        log.end(
                !second && servers.observer().ttl(KEY) > Duration.ofHours(8).toSeconds(),
                TrapVerdict.HELD_TOO_LONG,
                "30 s are 30,000 ms, and EX 30000 is more than eight hours.");
    }

    private static void skew(TrapServers servers, TrapLog log) {
        log.showing(() -> KEY + ": " + TrapServers.orDash(servers.observer().get(KEY)));
        ExpiryValueLock a = new ExpiryValueLock(servers.connect(), KEY, at(100));
        ExpiryValueLock b = new ExpiryValueLock(servers.connect(), KEY, at(140)); // 40 s fast
        boolean first = a.tryLock(LEASE);
        log.a("by its clock it is 100000; tryLock with 30 s: " + first);
        boolean second = b.tryLock(LEASE);
        log.b("by its clock it is 140000, so 130000 is over; tryLock: " + second);
        log.end(first && second, TrapVerdict.TWO_INSIDE, "The clock of B is 40 s fast, and the lease is 30 s.");
    }

    private static void overwritten(TrapServers servers, TrapLog log) {
        log.showing(() -> KEY + ": " + TrapServers.orDash(servers.observer().get(KEY)));
        servers.observer().set(KEY, "99000");
        log.server("a dead client's time is over");
        ExpiryValueLock a = new ExpiryValueLock(servers.connect(), KEY, at(100));
        RedisCommands<String, String> paused = PausedCommands.before(servers.connect(), "getset", () -> {
            log.b("GET: 99000, which is over");
            log.a("GET: 99000, which is over; GETSET 130000; tryLock: " + a.tryLock(LEASE));
        });
        ExpiryValueLock b = new ExpiryValueLock(paused, KEY, at(101));
        boolean second = b.tryLock(LEASE);
        log.b("GETSET 131000 returns 130000; tryLock: " + second);
        a.unlock();
        log.a("unlock: GET is not 130000, so no DEL");
        boolean third = new ExpiryValueLock(servers.connect(), KEY, at(102)).tryLock(LEASE);
        log.b("client C: tryLock: " + third);
        log.end(!second && !third, TrapVerdict.HELD_BY_NO_CLIENT, "B was refused, but A no longer knows its own lock.");
    }

    /** Returns a clock that stands still, some seconds after 1970. */
    private static Clock at(long second) {
        return Clock.fixed(Instant.ofEpochSecond(second), ZoneOffset.UTC);
    }
}
