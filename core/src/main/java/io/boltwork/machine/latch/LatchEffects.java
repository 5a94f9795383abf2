// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.latch;

import io.boltwork.machine.request.ClientEffects;
import io.boltwork.spi.LatchCommand;

/**
 * The environment of a {@link LatchMachine}: everything outside of the machine that it can observe or cause. No method
 * blocks or throws.
 */
public interface LatchEffects extends ClientEffects {

    /** Returns the name of the latch. */
    String latch();

    /** Sends a command. Its reply comes back as the event {@link LatchMachine#answered}, with the same object. */
    void send(LatchCommand command);
}
