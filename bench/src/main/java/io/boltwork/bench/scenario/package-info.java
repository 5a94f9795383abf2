// SPDX-License-Identifier: Apache-2.0
/**
 * One class for each scenario: its points, its targets, and the jobs that measure it. Uses the jobs and all rooms below
 * them, and runs the measurements.
 */
@NullMarked
package io.boltwork.bench.scenario;

import org.jspecify.annotations.NullMarked;
