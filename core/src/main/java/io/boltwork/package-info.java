// SPDX-License-Identifier: Apache-2.0
/**
 * Distributed locks. Start with {@link io.boltwork.LockClient}.
 *
 * <h2>The first lock</h2>
 *
 * <p>An application creates one client and asks it for locks by name. A {@link io.boltwork.FencedLock} is a
 * {@link java.util.concurrent.locks.Lock} that excludes threads and JVMs from each other. It is reentrant per thread.
 *
 * <!-- snippet: QuickStart.java#quick-start -->
 * <pre>{@code
 * // one client for the whole application; uri: redis://localhost:6379
 * try (LockClient locks = LockClient.create(RedisBackend.connect(uri))) {
 *     FencedLock stock = locks.lock("stock:1001");
 *     stock.lock();
 *     try {
 *         purchase.run();
 *     } finally {
 *         stock.unlock();
 *     }
 * }
 * }</pre>
 *
 * <h2>What a lease is</h2>
 *
 * <p>A JVM may die, or be cut off from the network, while it holds a lock. A lock is therefore held on a
 * <em>lease</em>, which ends by itself. By default the lease lasts 30 s and is renewed every 10 s for as long as the
 * lock is held and the JVM lives. If the JVM dies, the lock becomes free when the lease ends. Every hold has a
 * <em>fencing token</em>, a number larger than the token of any earlier hold of the same lock.
 *
 * <h2>Four ways to hold a lock</h2>
 *
 * <p>The first is {@code lock()} and {@code unlock()}, as above. The second is a {@link io.boltwork.Lease}: the hold as
 * a value, which knows its fencing token and reports its loss:
 *
 * <!-- snippet: FencedWrite.java#lease -->
 * <pre>{@code
 * try (Lease lease = lock.acquire()) {
 *     lease.whenLost().thenAccept(loss -> storage.abort("lock lost: " + loss.reason()));
 *     storage.write("stock:1001", lease.fencingToken());
 * }
 * }</pre>
 *
 * <p>The third is to wait for a limited time; {@code tryAcquire()} without a time does not wait at all:
 *
 * <!-- snippet: TimedAcquire.java#timed -->
 * <pre>{@code
 * Optional<Lease> turn = lock.tryAcquire(Duration.ofSeconds(2));
 * if (turn.isEmpty()) {
 *     return "busy, please try again";
 * }
 * try (Lease lease = turn.get()) {
 *     purchase.run();
 *     return "sold";
 * }
 * }</pre>
 *
 * <p>The fourth occupies no thread. {@code callAsync()} runs an asynchronous body under the lock, and
 * {@code acquireAsync()} completes with the lease itself. Such a lease belongs to its handle: any thread may release
 * it, and it is not reentrant.
 *
 * <!-- snippet: AsyncPurchase.java#async -->
 * <pre>{@code
 * return lock.callAsync(Duration.ofSeconds(2), lease -> purchase.apply(lease.fencingToken()));
 * }</pre>
 *
 * <h2>Losing a lease</h2>
 *
 * <p>A lease is lost if it could not be renewed in time, if the lock was taken away, if it was held for as long as its
 * options allow, or if the client is closed. From then on {@link io.boltwork.Lease#isValid()} returns {@code false},
 * {@link io.boltwork.Lease#whenLost()} completes, and the call that would have released the lock throws
 * {@link io.boltwork.LeaseLostException}. A caller therefore never mistakes a lost lock for a clean release.
 *
 * <p>A thread can still be paused between checking the lease and writing. Pass the token with each write, and let the
 * resource reject a token smaller than the largest one it has seen. No lock can replace this check.
 *
 * <h2>Options</h2>
 *
 * <p>{@link io.boltwork.LockOptions} define how a lock is held. The documentation of each setting states its default
 * and its cost.
 *
 * <!-- snippet: PackageTour.java#options -->
 * <pre>{@code
 * LockOptions careful = LockOptions.renewedLease(Duration.ofSeconds(10))
 *         .withFairness(LockOptions.Fairness.FIFO)
 *         .withMaxHold(Duration.ofMinutes(1))
 *         .withOnLoss(LockOptions.OnLoss.INTERRUPT);
 * FencedLock stock = locks.lock("stock:1001", careful);
 * }</pre>
 *
 * <h2>When Redis is unavailable</h2>
 *
 * <p>Each exception stands for exactly one of three outcomes: refused, lost or unknown. All of them extend
 * {@link io.boltwork.LockException}.
 *
 * <!-- snippet: PackageTour.java#outcomes -->
 * <pre>{@code
 * try {
 *     stock.run(Duration.ofSeconds(2), purchase);
 *     return "sold";
 * } catch (LockTimeoutException refused) {
 *     return "busy"; // another owner held the lock the whole time; nothing was done
 * } catch (LeaseLostException lost) {
 *     return "check it: " + lost.loss().reason(); // it was done, and the lock was lost before the end
 * } catch (BackendException unknown) {
 *     return "try later"; // Redis gave no answer; nothing was done
 * }
 * }</pre>
 *
 * <p>Holds last until their leases end; they are renewed once the connection is back. {@code lock()} and
 * {@code acquire()} wait through an outage, for 30 s by default. Timed calls return or throw by their deadline.
 * {@code unlock()} returns within the command timeout, 2 s by default, and the release is repeated in the background.
 *
 * <h2>Monitoring and administration</h2>
 *
 * <p>A {@link io.boltwork.LockListener} is notified of what happens to the locks of a client, for metrics and alerts:
 *
 * <!-- snippet: ClassExamples.java#LockListener -->
 * <pre>{@code
 * locks.addListener(new LockListener() {
 *     @Override
 *     public void lost(Lost event) {
 *         alarm("lock lost: " + event);
 *     }
 * });
 * }</pre>
 *
 * <p>A {@link io.boltwork.LockInspector} asks the backend which client holds a lock and which clients wait for it. It
 * can also take a lock away from a holder that hangs:
 *
 * <!-- snippet: ClassExamples.java#LockInspector -->
 * <pre>{@code
 * LockInspector inspector = locks.inspector();
 * inspector.list("stock:*", 100).forEach(System.out::println);
 * System.out.println(inspector.describe("stock:1001"));
 * }</pre>
 *
 * <h2>Testing</h2>
 *
 * <p>{@link io.boltwork.memory.MemoryBackend} needs no Redis and follows the same rules. Clients whose backends use the
 * same {@link io.boltwork.memory.MemoryServer} share its locks. The server can be frozen, flushed and restarted, to
 * test how an application behaves when things go wrong.
 *
 * <!-- snippet: PackageTour.java#memory -->
 * <pre>{@code
 * MemoryServer server = MemoryServer.create();
 * LockClient one = LockClient.create(MemoryBackend.on(server));
 * LockClient two = LockClient.create(MemoryBackend.on(server));
 *
 * Lease lease = one.lock("stock:1001").acquire();
 * boolean taken = two.lock("stock:1001").tryAcquire().isEmpty();
 * lease.release();
 * boolean free = two.lock("stock:1001").tryAcquire().isPresent();
 * }</pre>
 */
@NullMarked
package io.boltwork;

import org.jspecify.annotations.NullMarked;
