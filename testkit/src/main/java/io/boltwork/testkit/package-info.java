// SPDX-License-Identifier: Apache-2.0
/**
 * Tools for tests of applications that use Boltwork, and of Boltwork itself: real servers, child JVMs, faults, recorded
 * histories, and time bounds that suit the machine. This package has the checks that a test leaves nothing behind:
 * without a server, {@link io.boltwork.testkit.BoltworkExtension} for JUnit and
 * {@link io.boltwork.testkit.AutoConfigureBoltwork} for Spring Boot. It uses all rooms:
 *
 * <ul>
 * <li>{@link io.boltwork.testkit.wait}: conditions to wait for, time bounds, threads.
 * <li>{@link io.boltwork.testkit.history}: the recorded use of locks, read-write locks and semaphores by processes, and
 *     a check of it.
 * <li>{@link io.boltwork.testkit.server}: processes, such as {@link io.boltwork.testkit.server.RedisServer}, {@link
 *     io.boltwork.testkit.server.PostgresServer} and {@link io.boltwork.testkit.server.ChildJvm}.
 * <li>{@link io.boltwork.testkit.fault}: faults of processes and of Redis itself ({@link
 *     io.boltwork.testkit.fault.Faults}), and of connections ({@link io.boltwork.testkit.fault.FaultyLink}).
 * </ul>
 *
 * <p>The tests that every backend must pass are in the artifact {@code boltwork-contract}.
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
