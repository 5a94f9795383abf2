// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.contender;

import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * A latch of a contender.
 *
 * @param set sets the count to one
 * @param countDown counts down once
 * @param await waits for zero without a thread
 */
public record BenchLatch(Runnable set, Runnable countDown, Supplier<CompletionStage<?>> await) {}
