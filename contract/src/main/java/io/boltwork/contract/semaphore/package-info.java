// SPDX-License-Identifier: Apache-2.0
/**
 * The contract of semaphores. Uses the package {@code contract} and the room {@code part}.
 */
@NullMarked
package io.boltwork.contract.semaphore;

import org.jspecify.annotations.NullMarked;
