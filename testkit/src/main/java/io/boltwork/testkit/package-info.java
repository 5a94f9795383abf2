/**
 * What tests of Boltwork, of its backends, and of applications that use it need: real servers, child JVMs, what can go wrong
 * with them, and the patience that suits the machine.
 *
 * <ul>
 *   <li>{@link io.boltwork.testkit.RedisServer}, {@link io.boltwork.testkit.ChildJvm}: processes.
 *   <li>{@link io.boltwork.testkit.Fault}: what can go wrong, with processes and Redis itself ({@link
 *       io.boltwork.testkit.Faults}) and with connections ({@link io.boltwork.testkit.FaultyLink}).
 *   <li>{@link io.boltwork.testkit.HistoryWriter}, {@link io.boltwork.testkit.History}, {@link
 *       io.boltwork.testkit.HistoryChecker}: what processes did with their locks, and whether it can be.
 *   <li>{@link io.boltwork.testkit.LeavesNothingBehind}: fails a test that leaves a lock, thread, connection or process.
 *   <li>{@link io.boltwork.testkit.Await}, {@link io.boltwork.testkit.Slack}, {@link io.boltwork.testkit.Task}: waiting for
 *       conditions, bounds of time, threads.
 *   <li>{@link io.boltwork.testkit.LockContract}: what every backend has to pass.
 * </ul>
 *
 * <p>How does code behave when the lease it works under is lost?
 *
 * <pre>{@code
 * try (RedisServer redis = RedisServer.start();
 *         FaultyLink link = FaultyLink.to(redis);
 *         LockClient locks = LockClient.create(RedisBackend.connect(link.uri()));
 *         Fault gone = link.unreachable()) {
 *     Lease lease = locks.lock("stock", LockOptions.renewedLease(Duration.ofSeconds(1))).acquire();
 *     shop.open(lease);
 *     gone.inject();
 *     Await.until("the shop is closed", shop::isClosed);
 *     gone.heal();
 * }
 * }</pre>
 */
@NullMarked
package io.boltwork.testkit;

import org.jspecify.annotations.NullMarked;
