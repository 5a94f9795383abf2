// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.memory.MemoryReplica;
import io.boltwork.spi.Announce;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Command;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.Grant;
import io.boltwork.spi.HolderMessage;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.Reply;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The servers of a simulation, mostly one, with their faults, and the place of each lock. */
final class SimulatedCluster {

    private final VirtualTime time;
    private final List<SimulatedServer> servers = new ArrayList<>();
    private final Map<String, SimulatedLock> locks = new LinkedHashMap<>();

    /** The server that has each partition, and the one that is about to have it, as the servers know it. */
    private final SimulatedServer[] homes;

    private final @Nullable SimulatedServer[] targets;

    /** The clients that receive grants, by server and partition. */
    private final Map<String, Consumer<Grant>> subscriptions = new HashMap<>();

    /** The clients that receive messages for the owners of locks, by server. */
    private final Map<String, Consumer<HolderMessage>> owners = new HashMap<>();

    private BiConsumer<Command<?>, Reply> watcher = (command, reply) -> {};
    private Consumer<Grant> grants = grant -> {};
    private Consumer<Integer> movers = partition -> {};
    private final Random random;
    private final boolean replicasFail;

    /** The newest copy that a replica is known to have, and one that is behind by one command, by server. */
    private final Map<SimulatedServer, Copy> confirmed = new LinkedHashMap<>();

    private final Map<SimulatedServer, Copy> before = new LinkedHashMap<>();
    private boolean keepsBefore;

    /** The data of a server's replica, and the number of commands that it has executed. */
    record Copy(SimulatedServer of, long seen, Map<String, MemoryReplica> locks) {}

    SimulatedCluster(VirtualTime time, Plan plan) {
        this.time = time;
        this.random = plan.random("replicas of the server");
        this.replicasFail = plan.weather().isBad();
        Plan.Cluster shape = plan.cluster();
        for (long ahead : shape.ahead()) {
            servers.add(new SimulatedServer(servers.size(), time, ahead));
        }
        homes = new SimulatedServer[shape.partitions()];
        targets = new SimulatedServer[shape.partitions()];
        for (int i = 0; i < homes.length; i++) {
            homes[i] = servers.get(i % servers.size());
        }
        for (String lock : plan.locks()) {
            int partition = shape.partition(lock);
            locks.put(lock, new SimulatedLock(lock, partition, homes[partition], time));
        }
    }

    /** Sets the listeners of executed commands, published messages, and moved partitions. */
    void watch(BiConsumer<Command<?>, Reply> executed, Consumer<Grant> published) {
        watcher = executed;
        grants = published;
    }

    void watchMoves(Consumer<Integer> moved) {
        movers = moved;
    }

    List<SimulatedServer> servers() {
        return servers;
    }

    SimulatedLock lock(String name) {
        return Objects.requireNonNull(locks.get(name));
    }

    int partitions() {
        return homes.length;
    }

    /** Returns the server of a partition, as the servers know it. */
    SimulatedServer home(int partition) {
        return homes[partition];
    }

    // ================================================================ commands

    /** Returns whether a server has all locks of a command. */
    boolean isAt(SimulatedServer server, Command<?> command) {
        return command.locks().stream().allMatch(lock -> lock(lock).server() == server);
    }

    /** Executes a command at a server that has its locks. */
    Reply execute(SimulatedServer server, Command<?> command) {
        if (keepsBefore) {
            before.put(server, copy(server));
        }
        locks.values().stream().filter(lock -> lock.server() == server).forEach(SimulatedLock::lookAtClock);
        server.nextCommand();
        Reply reply = step(server, command);
        if (reply instanceof Reply.Replicated answer && answer.copies() > 0) {
            confirmed.put(server, copy(server));
        }
        watcher.accept(command, reply);
        return reply;
    }

    private Reply step(SimulatedServer server, Command<?> command) {
        if (command instanceof Command.Renew renew && renew.items().size() > 1) {
            List<Reply.Renewed.Item> items = new ArrayList<>();
            for (Command.Renew.Item item : renew.items()) {
                Command.Renew part = new Command.Renew(List.of(item), renew.notAfter());
                items.addAll(((Reply.Renewed) lock(item.lock()).execute(part)).items());
            }
            return new Reply.Renewed(server.time(), items);
        }
        if (command instanceof Command.Replicate replicate) {
            lock(replicate.item().lock()).setReplicas(replicasFail && random.nextInt(5) == 0 ? 0 : 1);
        }
        List<String> about = command.locks();
        return about.isEmpty()
                ? server.cards().execute(command)
                : lock(about.get(0)).execute(command);
    }

    QueryReply.Inspected look(String lock) {
        return lock(lock).look();
    }

    // ================================================================ messages

    private static String subscription(SimulatedServer server, int partition, String client) {
        return client + " of partition " + partition + " at " + server;
    }

    /** Announces another client, at the server of announcements. */
    void announce(ClientRecord card) {
        servers.get(0).cards().execute(new Announce(card, 60_000, "of another"));
    }

    void subscribe(SimulatedServer server, int partition, String client, Consumer<Grant> subscriber) {
        subscriptions.put(subscription(server, partition, client), grant -> {
            grants.accept(grant);
            subscriber.accept(grant);
        });
        locks.values().forEach(lock -> subscribe(lock, client));
    }

    void unsubscribe(SimulatedServer server, int partition, String client) {
        if (subscriptions.remove(subscription(server, partition, client)) != null) {
            locks.values().forEach(lock -> subscribe(lock, client));
        }
    }

    /** Lets a client receive the messages of a server for the owners of locks, in whatever partitions it listens. */
    void subscribeAsOwner(SimulatedServer server, String client, Consumer<HolderMessage> messages) {
        owners.put(client + " at " + server, messages);
        locks.values().forEach(lock -> subscribe(lock, client));
    }

    void unsubscribeAsOwner(SimulatedServer server, String client) {
        owners.remove(client + " at " + server);
        locks.values().forEach(lock -> subscribe(lock, client));
    }

    /** Counts the listeners at the server of a lock. */
    private void subscribe(SimulatedLock lock, String client) {
        lock.subscribe(
                client,
                subscriptions.get(subscription(lock.server(), lock.partition, client)),
                owners.get(client + " at " + lock.server()));
    }

    boolean isSubscribed(String lock, String client) {
        return subscriptions.containsKey(subscription(lock(lock).server(), lock(lock).partition, client));
    }

    // ================================================================ what can happen

    private List<SimulatedLock> at(SimulatedServer server) {
        return locks.values().stream().filter(lock -> lock.server() == server).toList();
    }

    void flush(SimulatedServer server) {
        at(server).forEach(SimulatedLock::forget);
    }

    Reply forceRelease(String lock) {
        lock(lock).lookAtClock();
        return lock(lock).execute(new ForceRelease(lock, 0, SharedName.kind(lock)));
    }

    Copy copy(SimulatedServer server) {
        Map<String, MemoryReplica> copies = new TreeMap<>();
        at(server).forEach(lock -> copies.put(lock.name, lock.copy()));
        return new Copy(server, server.commands(), copies);
    }

    /** Gives each server a replica that is behind by one command. */
    void keepReplicas() {
        if (!keepsBefore) {
            keepsBefore = true;
            servers.forEach(server -> before.put(server, copy(server)));
        }
    }

    Copy copyBehind(SimulatedServer server) {
        return Objects.requireNonNull(before.get(server));
    }

    void restart(SimulatedServer server, boolean empty) {
        server.beginRun();
        if (empty) {
            at(server).forEach(SimulatedLock::forget);
        }
        at(server).forEach(SimulatedLock::restart);
    }

    /** Lets a replica take over, whose clock is ahead by a time. It has all that a replica has confirmed. */
    void failOver(Copy replica, long jump) {
        SimulatedServer server = replica.of;
        Copy known = confirmed.get(server);
        Copy taken = known != null && replica.seen < known.seen ? known : replica;
        server.beginRun();
        for (SimulatedLock lock : at(server)) {
            lock.failOver(taken.locks.get(lock.name), jump); // the replica may not have what has just moved here
        }
        setClock(server, jump);
    }

    /** Sets the clock, and changes nothing else. */
    void setClock(SimulatedServer server, long jump) {
        server.setClock(jump);
        at(server).forEach(SimulatedLock::clockWasSet);
    }

    // ================================================================ moving

    /** Moves a partition to the next server, lock by lock within a time. No connection breaks. */
    void move(int partition, long lasts, Random when) {
        SimulatedServer from = homes[partition];
        SimulatedServer target = servers.get((from.number + 1 + when.nextInt(servers.size())) % servers.size());
        if (targets[partition] != null || target == from) {
            return;
        }
        targets[partition] = target;
        for (SimulatedLock lock : locks.values()) {
            if (lock.partition != partition) {
                continue;
            }
            if (lasts == 0) {
                move(lock, target);
            } else {
                time.after(when.nextLong(lasts), () -> move(lock, target));
            }
        }
        if (lasts == 0) {
            finish(partition, target);
        } else {
            time.after(lasts, () -> finish(partition, target));
        }
    }

    private void move(SimulatedLock lock, SimulatedServer target) {
        long frozen = Math.max(lock.server().frozenUntil(), target.frozenUntil());
        if (time.now() < frozen) {
            time.at(frozen, () -> move(lock, target));
        } else if (lock.server() != target) {
            lock.moveTo(target);
            Stream.concat(subscriptions.keySet().stream(), owners.keySet().stream())
                    .map(SimulatedCluster::client)
                    .distinct()
                    .sorted()
                    .forEach(client -> subscribe(lock, client));
        }
    }

    private static String client(String subscription) {
        return subscription.substring(0, subscription.indexOf(' '));
    }

    private void finish(int partition, SimulatedServer target) {
        boolean whole =
                locks.values().stream().allMatch(lock -> lock.partition != partition || lock.server() == target);
        if (whole && !target.isFrozen()) {
            homes[partition] = target;
            targets[partition] = null;
            movers.accept(partition);
        } else {
            time.after(Plan.MILLI, () -> finish(partition, target));
        }
    }

    /** Returns whether some locks of a partition may be at one server and some at another. */
    boolean isMoving(int partition) {
        return targets[partition] != null;
    }

    /** Returns the most by which a clock has been set back. */
    long behind() {
        return locks.values().stream().mapToLong(SimulatedLock::behind).max().orElse(0);
    }
}
