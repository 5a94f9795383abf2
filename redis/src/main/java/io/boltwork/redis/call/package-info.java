// SPDX-License-Identifier: Apache-2.0
/**
 * Commands on one connection to one server: scripts with their keys and arguments, plain reads, and the pipeline that
 * writes them.
 *
 * <p>This package is not API: its types are public only for the other packages of this module, and may change at any
 * time.
 */
@NullMarked
package io.boltwork.redis.call;

import org.jspecify.annotations.NullMarked;
