// SPDX-License-Identifier: Apache-2.0
package io.boltwork.quorum;

import io.boltwork.spi.LockBackend;
import java.util.List;
import java.util.concurrent.Future;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;

/** Makes quorums whose clock and timers a simulation provides. */
public final class VirtualQuorum {

    private VirtualQuorum() {}

    /** Returns a quorum that opens without waiting. */
    public static LockBackend of(
            List<LockBackend> nodes,
            QuorumOptions options,
            LongSupplier ticker,
            BiFunction<Runnable, Long, Future<?>> timers,
            LongUnaryOperator random,
            Consumer<Throwable> defects) {
        QuorumWorld world = new QuorumWorld(ticker, timers::apply, random, Runnable::run, 0, defects, () -> {});
        return QuorumBackend.of(nodes, options, world);
    }

    /** Returns whether a quorum knows a request that a server names, so that it will give its vote back. */
    public static boolean knows(LockBackend quorum, String requestAtServer) {
        return ((QuorumBackend) quorum).knows(requestAtServer);
    }
}
