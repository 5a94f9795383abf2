// SPDX-License-Identifier: Apache-2.0
/**
 * The list of contenders with their ids, and the samples and use of servers that are measured for each of them. Uses
 * {@code measure} and all rooms of the contenders.
 */
@NullMarked
package io.boltwork.bench.entrant;

import org.jspecify.annotations.NullMarked;
