// SPDX-License-Identifier: Apache-2.0
/**
 * Locks on the methods of Micronaut beans. The annotations are those of {@code io.boltwork.annotation}; this package
 * has what Micronaut's annotation processor needs.
 */
@NullMarked
package io.boltwork.micronaut;

import org.jspecify.annotations.NullMarked;
