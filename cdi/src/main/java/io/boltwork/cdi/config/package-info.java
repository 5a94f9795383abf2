// SPDX-License-Identifier: Apache-2.0
/** The settings {@code boltwork.*} of MicroProfile Config, and the clients that they describe. */
@NullMarked
package io.boltwork.cdi.config;

import org.jspecify.annotations.NullMarked;
