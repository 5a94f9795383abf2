// SPDX-License-Identifier: Apache-2.0
/**
 * The interface between jobs and contenders: locks and latches, the deployment that serves them, and the check that a
 * lock excludes. Uses no other room of the bench.
 */
@NullMarked
package io.boltwork.bench.contender;

import org.jspecify.annotations.NullMarked;
