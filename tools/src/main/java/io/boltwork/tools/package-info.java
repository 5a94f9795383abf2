// SPDX-License-Identifier: Apache-2.0
/**
 * The command {@code boltwork}. {@link io.boltwork.tools.BoltworkCommand} is its entry. Each subcommand is a class in
 * the package of its topic: {@code look} shows locks and takes them away, {@code connect} connects to a store,
 * {@code output} prints tables and JSON.
 */
@NullMarked
package io.boltwork.tools;

import org.jspecify.annotations.NullMarked;
