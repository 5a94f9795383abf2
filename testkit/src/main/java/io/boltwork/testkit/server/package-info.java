// SPDX-License-Identifier: Apache-2.0
/**
 * Real servers, groups of servers and child JVMs, which a test starts and stops. Uses the room {@code wait}.
 */
@NullMarked
package io.boltwork.testkit.server;

import org.jspecify.annotations.NullMarked;
