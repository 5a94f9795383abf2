// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.drive;

import io.boltwork.machine.latch.LatchEffects;
import io.boltwork.machine.latch.LatchMachine;
import io.boltwork.spi.LatchCommand;
import io.boltwork.spi.Printable;

/** Runs the {@link LatchMachine} of one latch, as {@link LockDriver} runs that of a lock. */
public final class LatchDriver extends Driver<LatchDriver, LatchDrivers> implements LatchEffects {

    public final LatchMachine machine = new LatchMachine(this);
    private final String name;

    LatchDriver(String name, LatchDrivers drivers) {
        super(drivers, name);
        this.name = name;
    }

    @Override
    public Object key() {
        return name;
    }

    @Override
    public String latch() {
        return name;
    }

    @Override
    public String client() {
        return owner.core.identity.id();
    }

    @Override
    public void send(LatchCommand command) {
        owner.core.backend.send(command, reply -> {
            owner.core.heard(partition, reply);
            owner.post(name, driver -> driver.machine.answered(command, reply));
        });
    }

    @Override
    public boolean settled() {
        if (machine.isIdle() && hasCalledBack()) {
            return true;
        }
        wakeAt(machine.wakeAt());
        return false;
    }

    @Override
    String what() {
        return "latch '" + Printable.text(name) + "'";
    }

    @Override
    void tick() {
        machine.tick();
    }

    /** Sends again what may not be under way. */
    @Override
    void mendMachine() {
        machine.connected(false);
    }
}
