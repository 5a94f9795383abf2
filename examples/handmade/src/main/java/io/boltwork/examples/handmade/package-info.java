// SPDX-License-Identifier: Apache-2.0
/** Locks as teams write them by hand, and the fault of each one, shown on real servers. See docs/start/why.md. */
@NullMarked
package io.boltwork.examples.handmade;

import org.jspecify.annotations.NullMarked;
