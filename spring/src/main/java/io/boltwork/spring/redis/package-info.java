// SPDX-License-Identifier: Apache-2.0
/**
 * The address of the locks' Redis, found in properties, connection details or a connection factory of the application.
 * It uses the properties.
 */
@NullMarked
package io.boltwork.spring.redis;

import org.jspecify.annotations.NullMarked;
