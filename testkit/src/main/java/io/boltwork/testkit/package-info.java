// SPDX-License-Identifier: Apache-2.0
/**
 * Tools for tests of Boltwork, of its backends, and of applications that use it: real servers, child JVMs, faults, and
 * time bounds that suit the machine.
 *
 * <ul>
 * <li>{@link io.boltwork.testkit.RedisServer}, {@link io.boltwork.testkit.PostgresServer}, {@link
 *       io.boltwork.testkit.PgBouncer}, {@link
 *     io.boltwork.testkit.MariaDbServer}, {@link io.boltwork.testkit.ChildJvm}: processes.
 * <li>{@link io.boltwork.testkit.Fault}: faults of processes and of Redis itself ({@link io.boltwork.testkit.Faults})
 *     and of connections ({@link io.boltwork.testkit.FaultyLink}).
 * <li>{@link io.boltwork.testkit.HistoryWriter}, {@link io.boltwork.testkit.History}, {@link
 *     io.boltwork.testkit.HistoryChecker}: the recorded use of locks, read-write locks and semaphores by processes, and a
 *     check of it.
 * <li>{@link io.boltwork.testkit.LeavesNothingBehind}: fails a test that leaves a lock, thread, connection or process
 *     behind.
 * <li>{@link io.boltwork.testkit.Await}, {@link io.boltwork.testkit.Slack}, {@link io.boltwork.testkit.Task}:
 *     conditions to wait for, time bounds, threads.
 * <li>{@link io.boltwork.testkit.LockContract} and its parts: the tests that every backend must pass.
 * </ul>
 *
 * <p>Example: a test of code that loses its lease.
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
