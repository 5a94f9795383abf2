// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Makes a plan that fails smaller: leaves out clients, users, acts and faults, and makes the network better, as long as
 * the same property fails. The idea is Zeller's delta debugging (<i>Simplifying and isolating failure-inducing
 * input</i>, 2002).
 */
final class Reduction {

    private final Property property;
    private final long most;
    private Plan smallest;
    private int runs;

    private Reduction(Plan failing, Property property, int mostRuns) {
        this.smallest = failing;
        this.property = property;
        this.most = mostRuns;
    }

    /** The smallest plan found, of at most so many that are tried. */
    static Plan of(Plan failing, Property property, int mostRuns) {
        Reduction reduction = new Reduction(failing, property, mostRuns);
        for (Plan before = null; before != reduction.smallest && reduction.runs < mostRuns; ) {
            before = reduction.smallest;
            reduction.round();
        }
        return reduction.smallest;
    }

    /** The failure, or {@code null}. */
    static @Nullable Violation failure(Plan plan) {
        try {
            new Simulation(plan, false).run();
            return null;
        } catch (Violation violation) {
            return violation;
        }
    }

    private void round() {
        tryWithout(smallest.clients(), rest -> withClients(smallest, rest));
        tryWithout(smallest.faults(), rest -> withFaults(smallest, rest));
        for (int c = 0; c < smallest.clients().size(); c++) {
            int client = c;
            tryWithout(smallest.clients().get(c).users(), rest -> withUsers(smallest, client, rest));
            for (int u = 0; u < smallest.clients().get(c).users().size(); u++) {
                int user = u;
                tryWithout(
                        smallest.clients().get(c).users().get(u).acts(),
                        rest -> withActs(smallest, client, user, rest));
            }
        }
        if (smallest.network() != Plan.Network.GOOD) {
            attempt(withNetwork(smallest, Plan.Network.GOOD));
            Plan.Network network = smallest.network();
            attempt(withNetwork(smallest, new Plan.Network(0, network.stuck(), network.lost())));
            network = smallest.network();
            attempt(withNetwork(smallest, new Plan.Network(network.slow(), 0, network.lost())));
            network = smallest.network();
            attempt(withNetwork(smallest, new Plan.Network(network.slow(), network.stuck(), 0)));
        }
    }

    /** Leaves out halves, then quarters, down to single ones. */
    private <T> void tryWithout(List<T> all, Function<List<T>, Plan> plan) {
        List<T> left = all;
        for (int size = Math.max(1, (left.size() + 1) / 2); size > 0; size /= 2) {
            for (int from = 0; from < left.size(); ) {
                List<T> rest = new ArrayList<>(left.subList(0, from));
                rest.addAll(left.subList(Math.min(left.size(), from + size), left.size()));
                if (attempt(plan.apply(rest))) {
                    left = rest;
                } else {
                    from += size;
                }
            }
        }
    }

    private boolean attempt(Plan plan) {
        if (plan.equals(smallest) || runs++ >= most) {
            return false;
        }
        Violation violation = failure(plan);
        if (violation == null || violation.property != property) {
            return false;
        }
        smallest = plan;
        return true;
    }

    // ================================================================ the same with less

    private static Plan withClients(Plan plan, List<Plan.Client> clients) {
        return new Plan(plan.seed(), plan.weather(), plan.network(), plan.outagePatience(), clients, plan.faults());
    }

    private static Plan withFaults(Plan plan, List<Plan.Fault> faults) {
        return new Plan(plan.seed(), plan.weather(), plan.network(), plan.outagePatience(), plan.clients(), faults);
    }

    private static Plan withNetwork(Plan plan, Plan.Network network) {
        return new Plan(plan.seed(), plan.weather(), network, plan.outagePatience(), plan.clients(), plan.faults());
    }

    private static Plan withUsers(Plan plan, int client, List<Plan.User> users) {
        Plan.Client old = plan.clients().get(client);
        return withClients(
                plan,
                replaced(plan.clients(), client, c -> new Plan.Client(old.id(), old.start(), old.driftPpm(), users)));
    }

    private static Plan withActs(Plan plan, int client, int user, List<Plan.Act> acts) {
        List<Plan.User> users = replaced(
                plan.clients().get(client).users(),
                user,
                old -> new Plan.User(old.name(), old.isThread(), old.start(), acts));
        return withUsers(plan, client, users);
    }

    private static <T> List<T> replaced(List<T> list, int index, UnaryOperator<T> change) {
        List<T> changed = new ArrayList<>(list);
        changed.set(index, change.apply(list.get(index)));
        return changed;
    }
}
