// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.client;

import io.boltwork.machine.request.Ticker;
import io.boltwork.spi.ClientRecord;
import java.time.InstantSource;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;

/**
 * The clocks, threads and ids that an engine runs on. The JVM or a simulation provides them.
 *
 * @param underWay the largest number of commands of one lock that may be under way at a time
 */
public record EngineWorld(
        ClientRecord clientRecord,
        Ticker ticker,
        InstantSource wall,
        Supplier<String> ids,
        Scheduler scheduler,
        Executor callbacks,
        LongUnaryOperator random,
        Sleeper sleeper,
        Consumer<Throwable> defects,
        Runnable stopThreads,
        int underWay) {}
