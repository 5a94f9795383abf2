// SPDX-License-Identifier: Apache-2.0
/**
 * What every contender is to a job: locks and latches to call, the deployment that serves them, and the check that a
 * lock excludes. Uses no other room of the bench.
 */
@NullMarked
package io.boltwork.bench.contender;

import org.jspecify.annotations.NullMarked;
