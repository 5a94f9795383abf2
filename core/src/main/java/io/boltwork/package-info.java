/**
 * Distributed locks: {@link io.boltwork.LockClient} is where to begin.
 *
 * <h2>The first lock</h2>
 *
 * <p>An application makes one client and asks it for locks by name. A {@link io.boltwork.FencedLock} is a {@link
 * java.util.concurrent.locks.Lock} that excludes threads and JVMs. It is reentrant by thread.
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
 * <p>A JVM may die while it holds a lock, or be cut off. So nobody holds a lock for ever, but on <em>lease</em>: for 30 s by
 * default, renewed every 10 s while the lock is held and the JVM lives. If it dies, the lock is free when the lease has ended.
 * Every hold has a <em>fencing token</em>, a number larger than that of any hold before.
 *
 * <h2>Four ways to hold</h2>
 *
 * <p>{@code lock()} and {@code unlock()}, as above. Or as a value, {@link io.boltwork.Lease}, that knows its token and tells of
 * its loss:
 *
 * <!-- snippet: FencedWrite.java#lease -->
 * <pre>{@code
 * try (Lease lease = lock.acquire()) {
 *     lease.whenLost().thenAccept(loss -> storage.abort("lock lost: " + loss.reason()));
 *     storage.write("stock:1001", lease.fencingToken());
 * }
 * }</pre>
 *
 * <p>Or after waiting for a limited time; {@code tryAcquire()} does not wait at all:
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
 * <p>Or without a thread; {@code acquireAsync()} gives the lease itself. Such a lease belongs to its handle: any thread may
 * release it, and it is not reentrant.
 *
 * <!-- snippet: AsyncPurchase.java#async -->
 * <pre>{@code
 * return lock.callAsync(Duration.ofSeconds(2), lease -> purchase.apply(lease.fencingToken()));
 * }</pre>
 *
 * <h2>Losing a lease</h2>
 *
 * <p>A lease is lost when it could not be renewed in time, when somebody took the lock away, when it was held for as long as
 * its options allow, or when the client is closed. Then {@link io.boltwork.Lease#isValid()} is {@code false}, {@link
 * io.boltwork.Lease#whenLost()} completes, and what would have released the lock throws {@link
 * io.boltwork.LeaseLostException}: lost exclusion never looks clean.
 *
 * <p>A thread can still be stopped between looking and writing. Pass the token with each write, and let the resource refuse a
 * token smaller than the largest it has seen. No lock can replace that.
 *
 * <h2>Options</h2>
 *
 * <p>{@link io.boltwork.LockOptions} says how a lock is held; each setting's documentation tells its default and its price.
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
 * <h2>When Redis is away</h2>
 *
 * <p>Three outcomes are never mixed up: refused, lost, and unknown. All exceptions are {@link io.boltwork.LockException}s.
 *
 * <!-- snippet: PackageTour.java#outcomes -->
 * <pre>{@code
 * try {
 *     stock.run(Duration.ofSeconds(2), purchase);
 *     return "sold";
 * } catch (LockTimeoutException refused) {
 *     return "busy"; // somebody else had the lock all the time; nothing was done
 * } catch (LeaseLostException lost) {
 *     return "check it: " + lost.loss().reason(); // it was done, and the lock was lost before the end
 * } catch (BackendException unknown) {
 *     return "try later"; // Redis gave no answer; nothing was done
 * }
 * }</pre>
 *
 * <p>Holds last until their leases end and are renewed when the connection is back. {@code lock()} and {@code acquire()} wait
 * through an outage, for 30 s by default; timed forms end by their deadline. {@code unlock()} returns within the
 * command timeout, 2 s by default, and the release is repeated in the background.
 *
 * <h2>Looking at it</h2>
 *
 * <p>A {@link io.boltwork.LockListener} hears what happens to the locks of a client, for metrics and alarms:
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
 * <p>A {@link io.boltwork.LockInspector} asks the backend who holds a lock and who waits, in all clients, and takes a lock away
 * from a holder that hangs:
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
 * <p>{@link io.boltwork.memory.MemoryBackend} needs no Redis and follows the same rules. Clients whose backends are on one
 * {@link io.boltwork.memory.MemoryServer} share its locks. The server can be frozen, flushed and restarted, to see what an
 * application does on a bad day.
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
