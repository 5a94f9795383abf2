// SPDX-License-Identifier: Apache-2.0
/**
 * The pieces of a machine: requests, waiters, holds, their times and terms. Uses the API and the interface of backends
 * only.
 */
@NullMarked
package io.boltwork.machine.request;

import org.jspecify.annotations.NullMarked;
