// SPDX-License-Identifier: Apache-2.0
/** The contract on the backends in memory: a server, a map with versions, and a quorum of servers. */
@NullMarked
package io.boltwork.contract.memory;

import org.jspecify.annotations.NullMarked;
