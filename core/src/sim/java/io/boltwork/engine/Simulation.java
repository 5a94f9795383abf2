// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Several clients with real engines and the public API on top, servers, a bad network, users who do anything: in
 * virtual time, and one thing at a time. Its {@link Plan} decides everything. The {@link SimulationChecks} run after
 * every event and when everything has come to rest.
 */
final class Simulation {

    /** Once healed: a dead holder's lease, claims of those that are gone, a safety poll, and some of it again. */
    private static final long SERVED_WITHIN = 30 * Plan.SECOND;

    private static final long QUIET_WITHIN = 60 * Plan.SECOND;

    final Plan plan;
    final VirtualTime time;
    final Timeline timeline;
    final SimulationHistory history;
    final SimulationChecks checks;
    final SimulatedCluster cluster;

    /** For plans with conditions. */
    final SimulatedShop shop = new SimulatedShop();

    private final List<SimulatedClient> clients = new ArrayList<>();
    private final List<Plan.Fault> awaitingTheirMoment = new ArrayList<>();
    private @Nullable Throwable defect;
    private boolean healed;

    Simulation(Plan plan, boolean withTimeline) {
        this(plan, new VirtualTime(), withTimeline);
    }

    Simulation(Plan plan, VirtualTime time, boolean withTimeline) {
        this.plan = plan;
        this.time = time;
        this.timeline = new Timeline(withTimeline, time);
        this.cluster = new SimulatedCluster(time, plan);
        this.history = new SimulationHistory(this, time, cluster);
        this.checks = new SimulationChecks(this, history);
        cluster.watchMoves(partition -> {
            timeline.add("-", "partition", partition, "has moved to", cluster.home(partition));
            clients.forEach(client -> client.backend.hasMoved(partition));
        });
        for (Plan.Client client : plan.clients()) {
            time.after(client.start(), () -> clients.add(new SimulatedClient(this, client, time, cluster, timeline)));
        }
    }

    /** @throws Violation if a property does not hold */
    void run() {
        plan.faults().forEach(this::prepare);
        checks.regularly();
        try {
            while (step(plan.loud())) {}
            heal();
            if (plan.hasConditions()) {
                settle();
            }
            long end =
                    time.now() + SERVED_WITHIN + history.pendingCalls().size() * Plan.LONGEST_WORK + cluster.behind();
            while (history.hasPendingCalls() && step(end)) {}
            checks.afterHealing();
            end = time.now() + QUIET_WITHIN + cluster.behind();
            while (step(end)) {}
            checks.atRest();
        } finally {
            clients.forEach(SimulatedClient::endThreads);
        }
    }

    /** Lets signals arrive, and then lets all threads leave that wait for conditions. */
    private void settle() {
        long end = time.now() + SERVED_WITHIN + history.pendingCalls().size() * Plan.LONGEST_WORK + cluster.behind();
        while (step(end)) {}
        checks.settled();
        clients.stream()
                .filter(client -> !client.isDead() && !client.isClosed())
                .findFirst()
                .ifPresent(client -> plan.locks().forEach(lock -> shop.close(client, plan, lock)));
    }

    private void prepare(Plan.Fault fault) {
        if (fault.moment() != Plan.Moment.ANY) {
            cluster.keepReplicas();
            time.at(fault.at(), () -> awaitingTheirMoment.add(fault));
        } else if (fault.trouble() == Plan.Trouble.FAILOVER) {
            SimulatedCluster.Copy[] replica = new SimulatedCluster.Copy[1];
            time.at(fault.at() - fault.lag(), () -> replica[0] = cluster.copy(serverOf(fault)));
            time.at(fault.at(), () -> failOver(fault, replica[0]));
        } else {
            time.at(fault.at(), () -> happen(fault));
        }
    }

    /** Something has happened that a fault may have waited for. */
    void moment(Plan.Moment moment, String client) {
        for (Plan.Fault fault : List.copyOf(awaitingTheirMoment)) {
            if (fault.moment() == moment && fault.client().equals(client)) {
                awaitingTheirMoment.remove(fault);
                SimulatedCluster.Copy behind = cluster.copyBehind(serverOf(fault));
                time.after(0, () -> {
                    if (healed) {
                        return;
                    }
                    if (fault.trouble() == Plan.Trouble.FAILOVER) {
                        failOver(fault, behind);
                    } else {
                        happen(fault);
                    }
                });
            }
        }
    }

    private boolean step(long end) {
        boolean more = time.step(end);
        check();
        return more;
    }

    /** Returns whether all is as it must be just now. */
    void check() {
        if (defect != null) {
            throw defect instanceof Violation violation
                    ? violation
                    : new Violation(Property.NO_DEFECT, defect + ", because of " + defect.getCause(), defect);
        }
        checks.afterEvent(clients);
    }

    void heal() {
        healed = true;
        clients.forEach(client -> client.backend.heal());
        timeline.add("-", "healed");
    }

    boolean isHealed() {
        return healed;
    }

    List<SimulatedClient> clients() {
        return clients;
    }

    /** @throws Violation if the condition is false */
    void require(boolean condition, Property property, Supplier<String> violation) {
        if (!condition) {
            Violation thrown = new Violation(property, violation.get());
            defect(thrown); // callers of callbacks catch what these throw
            throw thrown;
        }
    }

    /** Returns the client that made a request, under any of its ids; {@code null} if there is none. */
    @Nullable
    SimulatedClient clientOf(String request) {
        return clients.stream()
                .filter(client -> client.made(request))
                .findFirst()
                .orElse(null);
    }

    /** An engine failed, or a check on a user's thread. */
    void defect(Throwable thrown) {
        if (defect == null) {
            defect = thrown;
        }
    }

    // ================================================================ faults

    void happen(Plan.Fault fault) {
        SimulatedClient client = clients.stream()
                .filter(c -> c.id.equals(fault.client()) && !c.isDead() && !c.isClosed())
                .findFirst()
                .orElse(null);
        if (client == null) {
            return;
        }
        timeline.add("-", "FAULT", fault);
        checks.faultAt(client);
        SimulatedServer server = serverOf(fault);
        if (fault.trouble().isOfOneServer()) {
            history.faultAt(server);
        }
        switch (fault.trouble()) {
            case BREAK -> client.backend.disconnect(fault);
            case SILENCE -> client.backend.silence(fault.lasts());
            case DEAF -> client.backend.deaf(fault.lock(), fault.lasts(), fault.half());
            case PAUSE -> client.pause(fault.lasts());
            case SUSPEND -> client.suspend(fault.lasts());
            case CLONE -> cluster.announce(client.card());
            case CRASH -> client.kill(fault.half());
            case CLOSE -> client.close();
            case FREEZE_SERVER -> server.freeze(fault.lasts());
            case RESTART, RESTART_EMPTY -> {
                cluster.restart(server, fault.trouble() == Plan.Trouble.RESTART_EMPTY);
                allReconnect(fault, server);
            }
            case FLUSH -> cluster.flush(server);
            case DELETE_KEY -> cluster.lock(fault.lock()).forget();
            case FORCE_RELEASE -> {
                if (SharedName.isShared(fault.lock())) {
                    checks.forceRelease(fault.lock());
                } else {
                    history.forceRelease(fault.lock());
                }
                timeline.add("operator", "takes away", fault.lock(), cluster.forceRelease(fault.lock()));
            }
            case CLOCK_BACK -> cluster.setClock(server, fault.jump());
            case MOVE ->
                cluster.move(cluster.lock(fault.lock()).partition, fault.lasts(), plan.random("moving " + fault.at()));
            case FAILOVER -> throw new IllegalArgumentException("needs a replica");
        }
    }

    /** The server to which a fault happens that happens to a server. */
    SimulatedServer serverOf(Plan.Fault fault) {
        return cluster.lock(fault.lock()).server();
    }

    void failOver(Plan.Fault fault, SimulatedCluster.Copy replica) {
        timeline.add("-", "FAULT", fault);
        history.faultAt(replica.of());
        cluster.failOver(replica, fault.jump());
        allReconnect(fault, replica.of());
    }

    private void allReconnect(Plan.Fault fault, SimulatedServer server) {
        server.freeze(fault.lasts());
        Random random = plan.random("reconnecting " + fault.at());
        for (SimulatedClient client : clients) {
            if (!client.isDead() && !client.isClosed()) {
                client.backend.disconnect(server, fault.lasts() + random.nextLong(5 * Plan.MILLI));
            }
        }
    }
}
