// SPDX-License-Identifier: Apache-2.0
/** Commands that show locks, clients and servers, and that take a lock away. */
@NullMarked
package io.boltwork.tools.look;

import org.jspecify.annotations.NullMarked;
