// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import java.util.List;

/**
 * A trap that was played.
 *
 * @param trap the trap
 * @param steps the steps, in order
 * @param verdict how it ended
 * @param reason the end, in one sentence
 */
record TrapReport(Trap trap, List<TrapStep> steps, TrapVerdict verdict, String reason) {}
