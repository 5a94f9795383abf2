// SPDX-License-Identifier: Apache-2.0
/**
 * The contract of read-write locks. Uses the package {@code contract} and the room {@code part}.
 */
@NullMarked
package io.boltwork.contract.readwrite;

import org.jspecify.annotations.NullMarked;
