// SPDX-License-Identifier: Apache-2.0
/**
 * Locks, sides of read-write locks and permits that a call acquires, and the transaction that may release them. It
 * uses the API and the types of the annotation only.
 */
@NullMarked
package io.boltwork.annotation.acquire;

import org.jspecify.annotations.NullMarked;
