// SPDX-License-Identifier: Apache-2.0
/**
 * One class for each state of a request: it sends the commands of that state and handles their answers. Works on the
 * {@code LockState}; does not use the machine or another state's driver.
 */
@NullMarked
package io.boltwork.machine.parts;

import org.jspecify.annotations.NullMarked;
