// SPDX-License-Identifier: Apache-2.0
/**
 * Finds deadlocks, holds that last long and waits that last long, here and together with other clients. Only reads what
 * the locks' drivers tell; uses the rooms {@code client} and {@code drive}.
 */
@NullMarked
package io.boltwork.engine.diagnose;

import org.jspecify.annotations.NullMarked;
