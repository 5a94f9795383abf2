// SPDX-License-Identifier: Apache-2.0
/**
 * The contract: the tests that every backend must pass, for authors of backends. This package has what such an author
 * implements or uses, and uses no room:
 *
 * <ul>
 * <li>{@link io.boltwork.contract.LockSite}: creates backends and causes faults. The contract knows nothing else about
 *     a backend.
 * <li>{@link io.boltwork.contract.MapStore}, {@link io.boltwork.contract.FaultyStore}: a complete store over a map, and
 *     faults of any store.
 * <li>{@link io.boltwork.contract.RecordStoreContract}: the tests of a store by itself, before those of its locks.
 * <li>{@link io.boltwork.contract.WatchedBackend}: counts and loses what passes between a client and a backend.
 * </ul>
 *
 * <p>A backend has a test for each kind of lock, which extends {@link io.boltwork.contract.lock.LockContract}, {@link
 * io.boltwork.contract.readwrite.ReadWriteLockContract}, {@link io.boltwork.contract.semaphore.SemaphoreContract},
 * {@link io.boltwork.contract.latch.LatchContract}, {@link io.boltwork.contract.condition.ConditionContract} or {@link
 * io.boltwork.contract.multi.MultiLockContract}:
 *
 * <pre>{@code
 * class MyLockContractTest extends LockContract {
 *     private static final MySite SITE = new MySite();
 *
 *     @Override
 *     protected LockSite site() {
 *         return SITE;
 *     }
 * }
 * }</pre>
 */
@NullMarked
package io.boltwork.contract;

import org.jspecify.annotations.NullMarked;
