// SPDX-License-Identifier: Apache-2.0
/**
 * What differs between plain locks, read-write locks and semaphores: the machine asks an object of its kind. Uses the
 * rooms {@code parts}, {@code state} and {@code request}.
 */
@NullMarked
package io.boltwork.machine.kind;

import org.jspecify.annotations.NullMarked;
