// SPDX-License-Identifier: Apache-2.0
/** A flash sale: many buyers, few items, several instances of the application. */
@NullMarked
package io.boltwork.examples.micronaut;

import org.jspecify.annotations.NullMarked;
