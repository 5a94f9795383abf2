// SPDX-License-Identifier: Apache-2.0
/**
 * The contract of latches. Uses the package {@code contract} and the room {@code part}.
 */
@NullMarked
package io.boltwork.contract.latch;

import org.jspecify.annotations.NullMarked;
