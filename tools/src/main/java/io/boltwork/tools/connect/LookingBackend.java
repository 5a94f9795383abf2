// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.connect;

import io.boltwork.BackendException;
import io.boltwork.LockOptions;
import io.boltwork.spi.Announce;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.Capability;
import io.boltwork.spi.Command;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.NodeStatus;
import io.boltwork.spi.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * A backend of a client that looks at a store. It keeps no record of this client there, so a look leaves nothing
 * behind. Other commands, such as a forced release, are sent.
 *
 * @param backend the backend of the store
 * @param whenClosed closes what the backend does not
 */
record LookingBackend(LockBackend backend, Runnable whenClosed) implements LockBackend {

    @Override
    public void open(String client, BackendListener listener) {
        try {
            backend.open(client, listener);
        } catch (RuntimeException failed) {
            whenClosed.run();
            throw failed;
        }
    }

    @Override
    public void rename(String client) {
        backend.rename(client);
    }

    @Override
    public void send(Command<?> command, Consumer<Reply> handler) {
        if (command instanceof Announce) {
            handler.accept(new Reply.Failed(
                    false,
                    new BackendException("A client that looks at a store does not announce itself", true, null)));
        } else {
            backend.send(command, handler);
        }
    }

    @Override
    public void together(Runnable sends) {
        backend.together(sends);
    }

    @Override
    public String namespace() {
        return backend.namespace();
    }

    @Override
    public Duration commandTimeout() {
        return backend.commandTimeout();
    }

    @Override
    public int partitions() {
        return backend.partitions();
    }

    @Override
    public int partition(String lock) {
        return backend.partition(lock);
    }

    @Override
    public void check(LockOptions options) {
        backend.check(options);
    }

    @Override
    public Optional<String> refusal(Capability capability) {
        return backend.refusal(capability);
    }

    @Override
    public CompletionStage<List<NodeStatus>> nodes() {
        return backend.nodes();
    }

    @Override
    public long conflicts() {
        return backend.conflicts();
    }

    @Override
    public void close() {
        backend.close();
        whenClosed.run();
    }

    @Override
    public String toString() {
        return backend.toString();
    }
}
