// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

/**
 * The wait of a request for a condition of its lock. A request that has once begun to wait for a condition says so in
 * each {@link Command.Acquire}.
 *
 * @param name the name of the condition; empty for the lock's own
 * @param goesOn whether the request still waits to be signalled. If the server knows of no such wait, because it was
 *     signalled or the server has forgotten it, the request asks for the lock. {@code false}: it asks for the lock in
 *     any case, because its time has passed or its caller was interrupted
 * @since 0.1.0
 */
public record ConditionWait(String name, boolean goesOn) {
    @Override
    public String toString() {
        return Printable.text("ConditionWait[name=" + name + ", goesOn=" + goesOn + "]");
    }
}
