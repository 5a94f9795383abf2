// SPDX-License-Identifier: Apache-2.0
/** The contracts of the test kit on the backends in memory: a server, a map with versions, and a quorum of servers. */
@NullMarked
package io.boltwork.contracts;

import org.jspecify.annotations.NullMarked;
