// SPDX-License-Identifier: Apache-2.0
/**
 * Endpoints, health, meters and the responses of web applications. It uses the API of the clients, and knows no
 * annotation except its exceptions.
 */
@NullMarked
package io.boltwork.spring.actuate;

import org.jspecify.annotations.NullMarked;
