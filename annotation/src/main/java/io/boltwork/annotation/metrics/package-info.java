// SPDX-License-Identifier: Apache-2.0
/**
 * Meters of Micrometer, for applications that have that library, and the details of health checks. It uses targets for
 * their groups.
 */
@NullMarked
package io.boltwork.annotation.metrics;

import org.jspecify.annotations.NullMarked;
