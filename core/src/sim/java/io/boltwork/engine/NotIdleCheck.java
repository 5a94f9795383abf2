// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

/** Checks {@link Property#NOT_IDLE}. */
final class NotIdleCheck extends SimulationCheck {

    /** The safety poll, if everything else was lost. */
    private static final long LONGEST = 6 * Plan.SECOND;

    /** For a client with a good network, which is told at once. */
    private static final long LONGEST_IF_TOLD = 300 * Plan.MILLI;

    /** True if a living client always knows when a lock becomes free. */
    private boolean freeingIsNoticed;

    NotIdleCheck(SimulationHistory history) {
        super(Property.NOT_IDLE, history);
        // only the client that keeps a lock closed for a minimum hold time knows until when, and it may be dead
        this.freeingIsNoticed = !plan.weather().isBad()
                && plan.options().noneMatch(options -> !options.minHold().isZero());
    }

    /** Records a fault of an owner, which may be the only client that was told when an earlier lease ends. */
    @Override
    void faultAt(SimulatedClient client) {
        freeingIsNoticed &= plan.locks().stream().noneMatch(lock -> {
            String owner = history.cluster.look(lock).owner();
            return owner != null && simulation.clientOf(owner) == client;
        });
    }

    @Override
    void begins(ObservedLock lock, ObservedHold begun) {
        interrupt(idle(lock));
        interrupt(idleAtHome(lock));
    }

    @Override
    void regularly(LockAtServer lock) {
        ObservedLock ofLock = lock.history();
        String name = ofLock.name;
        boolean wanted = simulation.clients().stream().anyMatch(client -> client.isWell(name) && client.wants(name));
        boolean atHome = simulation.clients().stream().anyMatch(client -> client.isAtHome(name) && client.wants(name));
        requireBrief(idle(ofLock), wanted && !lock.closed(), LONGEST);
        requireBrief(
                idleAtHome(ofLock),
                atHome && !lock.closed() && freeingIsNoticed && ofLock.data.losses(0, time.now()) == 0,
                LONGEST_IF_TOLD);
    }

    private static String idle(ObservedLock lock) {
        return lock.name + " is free although a client wants it";
    }

    private static String idleAtHome(ObservedLock lock) {
        return idle(lock) + " and can be told";
    }
}
