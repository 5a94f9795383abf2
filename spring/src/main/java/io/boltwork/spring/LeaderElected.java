// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import io.boltwork.Leadership;
import io.boltwork.Lease;

/**
 * Published when this application has become the leader, with {@code boltwork.leader.lock}. Listeners are called on a
 * thread of the leadership and may do the leader's work, until the lease is no longer valid. If one of them throws, the
 * application gives up the leadership, and stands again after a pause.
 *
 * @param leadership the bean
 * @param lease the lease of the lock, with its fencing token
 * @see io.boltwork.LeadershipListener#elected
 * @since 0.1.0
 */
public record LeaderElected(Leadership leadership, Lease lease) {}
