// SPDX-License-Identifier: Apache-2.0
/**
 * The settings {@code boltwork.*}, for frameworks that give a text for a name, and the clients that they describe. It
 * uses operations, and {@code boltwork-redis}, which such a framework brings along.
 */
@NullMarked
package io.boltwork.annotation.config;

import org.jspecify.annotations.NullMarked;
