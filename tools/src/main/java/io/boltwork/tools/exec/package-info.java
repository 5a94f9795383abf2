// SPDX-License-Identifier: Apache-2.0
/**
 * {@code boltwork exec}: runs a command under a lock. {@link io.boltwork.tools.exec.ExecCommand} has the options,
 * {@code LockedRun} the course of a run, and {@code SupervisedCommand} the process, which the script
 * {@code supervisor.sh} ends if the JVM dies.
 */
@NullMarked
package io.boltwork.tools.exec;

import org.jspecify.annotations.NullMarked;
