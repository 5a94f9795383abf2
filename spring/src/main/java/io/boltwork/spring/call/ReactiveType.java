// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.call;

import io.boltwork.annotation.call.AsyncLocking;
import io.boltwork.annotation.call.PublisherType;
import org.springframework.core.ReactiveAdapter;

/**
 * A type of publishers that Spring can adapt to those of Reactor.
 *
 * @param adapter its adapter
 * @param suspending whether Spring executes a Kotlin {@code suspend} function as such a publisher
 */
record ReactiveType(ReactiveAdapter adapter, boolean suspending) implements PublisherType {

    @Override
    public Object publisher(AsyncLocking call) {
        return ReactiveLocking.publisher(call, adapter, (held, endings) -> {
            Object[] arguments = call.arguments(held);
            if (suspending) {
                endings.accept(LockedCoroutine.enter(arguments, held)::end);
            }
            return call.execute(held, arguments);
        });
    }

    @Override
    public Object publisher(AsyncLocking call, Object returned) {
        return ReactiveLocking.publisher(call, adapter, (held, endings) -> returned);
    }

    @Override
    public Object failed(RuntimeException failure) {
        return ReactiveLocking.failed(adapter, failure);
    }
}
