// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.LockOptions;
import io.boltwork.quorum.VirtualQuorum;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.Capability;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.HolderMessage;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.LockFreed;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** A quorum whose grants a simulation sees at the moment at which they are decided. */
final class QuorumWatch implements LockBackend {
    private final LockBackend quorum;
    private final QuorumSimulation simulation;

    QuorumWatch(LockBackend quorum, QuorumSimulation simulation) {
        this.quorum = quorum;
        this.simulation = simulation;
    }

    @Override
    public void open(String client, BackendListener told) {
        quorum.open(client, new BackendListener() {
            @Override
            public void granted(Grant grant) {
                simulation.granted(grant.lock(), grant.request(), grant.token());
                told.granted(grant);
            }

            @Override
            public void told(HolderMessage message) {
                told.told(message);
            }

            @Override
            public void freed(LockFreed freed) {
                told.freed(freed);
            }

            @Override
            public void connected(ServerTime server) {
                told.connected(server);
            }

            @Override
            public void disconnected(Throwable cause) {
                told.disconnected(cause);
            }

            @Override
            public void warned(String what) {
                told.warned(what);
            }
        });
    }

    @Override
    public void send(Command<?> command, Consumer<Reply> handler) {
        quorum.send(command, reply -> {
            if (command instanceof Command.Acquire acquire
                    && reply instanceof Reply.Acquired answer
                    && answer.verdict() == Reply.Verdict.GRANTED) {
                simulation.granted(acquire.lock(), acquire.request(), answer.token());
            }
            handler.accept(reply);
        });
    }

    /** Returns whether the quorum knows a request that a server names. */
    boolean knows(String requestAtServer) {
        return VirtualQuorum.knows(quorum, requestAtServer);
    }

    @Override
    public void rename(String client) {
        quorum.rename(client);
    }

    @Override
    public Duration commandTimeout() {
        return quorum.commandTimeout();
    }

    @Override
    public void check(LockOptions options) {
        quorum.check(options);
    }

    @Override
    public Optional<String> refusal(Capability capability) {
        return quorum.refusal(capability);
    }

    @Override
    public void close() {
        quorum.close();
    }
}
