// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import io.boltwork.Leadership;
import io.boltwork.LeadershipListener.Revocation;

/**
 * Published when the leadership of this application ends. Unless the lease was lost, another instance is elected only
 * after all listeners have returned: stop the leader's work in them.
 *
 * @param leadership the bean
 * @param revocation the fencing token of the lease, and the reason
 * @see io.boltwork.LeadershipListener#revoked
 * @since 0.1.0
 */
public record LeaderRevoked(Leadership leadership, Revocation revocation) {}
