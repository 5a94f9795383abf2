// SPDX-License-Identifier: Apache-2.0
/**
 * One class for each kind of lock, with all that differs between plain locks, read-write locks and semaphores. Uses the
 * rooms {@code parts}, {@code state} and {@code request}.
 */
@NullMarked
package io.boltwork.machine.kind;

import org.jspecify.annotations.NullMarked;
