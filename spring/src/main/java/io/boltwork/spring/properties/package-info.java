// SPDX-License-Identifier: Apache-2.0
/**
 * The properties of an application, the beans that they name, and the errors in them. It uses the types of the
 * annotation, and knows no lock.
 */
@NullMarked
package io.boltwork.spring.properties;

import org.jspecify.annotations.NullMarked;
