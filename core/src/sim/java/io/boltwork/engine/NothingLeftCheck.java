// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.spi.QueryReply;
import java.util.HashSet;
import java.util.Set;

/** Checks {@link Property#NOTHING_LEFT}. */
final class NothingLeftCheck extends SimulationCheck {

    NothingLeftCheck(SimulationHistory history) {
        super(Property.NOTHING_LEFT, history);
    }

    @Override
    void atRest() {
        for (SimulatedClient client : simulation.clients()) {
            require(
                    client.isDead() || client.engine.drivers.count() == 0,
                    () -> client + " has state left: "
                            + client.engine.drivers.all().stream()
                                    .map(driver -> driver.machine)
                                    .toList());
        }
        Set<String> living = new HashSet<>(); // a client that was cloned has left its old id to the other one
        simulation.clients().stream()
                .filter(client -> !client.isDead())
                .forEach(client -> living.add(client.current()));
        for (String lock : plan.locks()) {
            SimulatedLock data = history.cluster.lock(lock);
            QueryReply.Inspected record = data.look();
            require(
                    data.hasGoneBack()
                            || record.holders().stream()
                                    .allMatch(holder -> data.server().virtual(holder.untilMillis()) <= time.now()),
                    () -> "an owner is left: " + record);
            require(
                    data.hasFailedOverSince(0) // which may have undone a withdrawal; the next grant repeats it
                            || record.queue().stream()
                                    .noneMatch(entry -> living.contains(entry.request()
                                            .substring(0, entry.request().indexOf(':')))),
                    () -> "queue entries of living clients are left: " + record);
        }
    }
}
