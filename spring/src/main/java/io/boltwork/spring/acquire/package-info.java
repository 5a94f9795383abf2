// SPDX-License-Identifier: Apache-2.0
/**
 * The clients of an application, the observations of Micrometer, and the transactions of Spring, as the shared code
 * uses them. It uses properties.
 */
@NullMarked
package io.boltwork.spring.acquire;

import org.jspecify.annotations.NullMarked;
