// SPDX-License-Identifier: Apache-2.0
/**
 * The contract of locks, whole and in four parts that run beside each other. Uses the package {@code contract} and the
 * room {@code part}.
 */
@NullMarked
package io.boltwork.contract.lock;

import org.jspecify.annotations.NullMarked;
