// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.call;

import io.boltwork.annotation.operation.ResultType;

/** A type of publishers that a framework executes under locks. Nothing is done before there is a subscriber. */
public interface PublisherType extends ResultType {

    /** Returns a publisher that, for each subscriber, acquires the locks and executes the method. */
    Object publisher(AsyncLocking call);

    /** Returns a publisher that, for each subscriber, acquires the locks and subscribes to what a method returned. */
    Object publisher(AsyncLocking call, Object returned);

    /** Returns a publisher that fails for each subscriber. */
    Object failed(RuntimeException failure);
}
