// SPDX-License-Identifier: Apache-2.0
/**
 * Locks of other libraries, and the same locks with Boltwork. The pages docs/move/redisson.md and
 * docs/move/others.md quote some of them.
 */
@NullMarked
package io.boltwork.examples.migration;

import org.jspecify.annotations.NullMarked;
