// SPDX-License-Identifier: Apache-2.0
/**
 * Connections to one master: finding it, connecting, reconnecting, waiting for replicas, and checking that messages
 * arrive.
 *
 * <p>This package is not API: its types are public only for the other packages of this module, and may change at any
 * time.
 */
@NullMarked
package io.boltwork.redis.connect;

import org.jspecify.annotations.NullMarked;
