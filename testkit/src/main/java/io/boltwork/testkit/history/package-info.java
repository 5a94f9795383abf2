// SPDX-License-Identifier: Apache-2.0
/**
 * The recorded use of locks, read-write locks and semaphores by several processes, and a check of its correctness.
 * Uses the API of Boltwork, and no other room of the test kit.
 */
@NullMarked
package io.boltwork.testkit.history;

import org.jspecify.annotations.NullMarked;
