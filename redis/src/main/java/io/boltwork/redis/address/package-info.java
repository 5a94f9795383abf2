// SPDX-License-Identifier: Apache-2.0
/**
 * The addresses and deployments of Redis, and the errors that users see.
 *
 * <p>This package is not API: its types are public only for the other packages of this module, and may change at any
 * time.
 */
@NullMarked
package io.boltwork.redis.address;

import org.jspecify.annotations.NullMarked;
