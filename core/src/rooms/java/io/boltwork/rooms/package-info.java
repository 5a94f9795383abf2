// SPDX-License-Identifier: Apache-2.0
/** The check of the rooms, for the architecture tests of all modules. */
@NullMarked
package io.boltwork.rooms;

import org.jspecify.annotations.NullMarked;
