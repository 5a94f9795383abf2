// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.operation;

/**
 * The settings of a client for the locks of methods, {@code boltwork.lock.*}. Immutable.
 *
 * @param prefix the beginning of the names
 * @param defaults what applies unless the annotation specifies it
 */
public record LockSettings(String prefix, LockDefaults defaults) {}
