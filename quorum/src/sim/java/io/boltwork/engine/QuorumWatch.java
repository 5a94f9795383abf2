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
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A quorum whose grants a simulation sees at the moment at which they are decided. Checks that the engine wants each
 * lock by one request at a time.
 */
final class QuorumWatch implements LockBackend {
    private final LockBackend quorum;
    private final QuorumSimulation simulation;

    /** The requests that have not been granted, refused or ended, by lock. */
    private final Map<String, Set<String>> wanted = new HashMap<>();

    private final Set<String> granted = new HashSet<>();

    QuorumWatch(LockBackend quorum, QuorumSimulation simulation) {
        this.quorum = quorum;
        this.simulation = simulation;
    }

    @Override
    public void open(String client, BackendListener told) {
        quorum.open(client, new BackendListener() {
            @Override
            public void granted(Grant grant) {
                granted.add(grant.request());
                noLongerWants(grant.lock(), grant.request());
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
        if (command instanceof Command.Acquire acquire) {
            wants(acquire);
        } else if (command instanceof Command.Withdraw withdraw && withdraw.request() != null) {
            noLongerWants(withdraw.lock(), withdraw.request());
        } else if (command instanceof Command.Release release && release.next() != null) {
            wants(release.next());
        }
        quorum.send(command, reply -> {
            if (command instanceof Command.Acquire acquire && reply instanceof Reply.Acquired answer) {
                if (answer.verdict() == Reply.Verdict.GRANTED) {
                    granted.add(acquire.request());
                    simulation.granted(acquire.lock(), acquire.request(), answer.token());
                }
                if (answer.verdict() == Reply.Verdict.GRANTED || answer.verdict() == Reply.Verdict.REFUSED) {
                    noLongerWants(acquire.lock(), acquire.request());
                }
            }
            handler.accept(reply);
        });
    }

    private void wants(Command.Acquire acquire) {
        if (!granted.contains(acquire.request())) {
            Set<String> requests = wanted.computeIfAbsent(acquire.lock(), lock -> new HashSet<>());
            requests.add(acquire.request());
            simulation.require(requests.size() == 1, acquire.lock() + " is wanted by " + requests);
        }
    }

    private void noLongerWants(String lock, String request) {
        wanted.getOrDefault(lock, Set.of()).remove(request);
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
