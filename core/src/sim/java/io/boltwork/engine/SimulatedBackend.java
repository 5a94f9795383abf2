// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.BackendException;
import io.boltwork.machine.request.Promise;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.CallerRun;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.HolderMessage;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One client's way to the servers of a simulation. It assumes a server for each partition,
 * learns late that the partition has moved, sends a command again that reached the wrong server, and may have to
 * subscribe to a partition before a user can wait there.
 */
final class SimulatedBackend implements LockBackend {

    private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(500);

    /** The most time until a client learns that a partition has moved, at its next look at the map. */
    private static final long LEARNS = Plan.SECOND;

    private static final int RESENDS = 3;

    /** The time between two looks of a caller that executes a command. */
    private static final long LOOKS = 50 * Plan.MILLI;

    private final SimulatedClient client;
    private final VirtualTime time;
    private final SimulatedCluster cluster;
    private final Plan.Cluster shape;
    private final Timeline timeline;
    private final Random random;
    private Plan.Network network;

    private final List<SimulatedLink> links = new ArrayList<>();
    private final SimulatedLink[] believed;

    /** The partitions that the client listens to. */
    private final BitSet warm = new BitSet();

    private @Nullable BackendListener listener;
    private @Nullable SimulatedLink sentAgainTo;
    private long silentUntil;

    /** True if callers execute commands. */
    private final boolean executing;

    private final Random direct;

    /** The commands that callers have executed. */
    int executed;

    /** The callers among them that have left before the answer. */
    int left;

    SimulatedBackend(SimulatedClient client, VirtualTime time, SimulatedCluster cluster, Timeline timeline, Plan plan) {
        this.client = client;
        this.time = time;
        this.cluster = cluster;
        this.shape = plan.cluster();
        this.timeline = timeline;
        this.random = plan.random("routes of " + client.id);
        this.network = plan.network();
        this.executing = plan.seed() >= Plan.EXECUTING;
        this.direct = plan.random("callers of " + client.id);
        for (SimulatedServer server : cluster.servers()) {
            String actor = "network of " + client.id + (server.number == 0 ? "" : " to " + server);
            links.add(new SimulatedLink(this, client, server, cluster, time, timeline, plan.random(actor)));
        }
        believed = new SimulatedLink[shape.partitions()];
        for (int i = 0; i < believed.length; i++) {
            believed[i] = links.get(cluster.home(i).number);
        }
        if (!shape.cold()) {
            warm.set(0, believed.length);
        }
    }

    @Override
    public void open(String id, BackendListener told) {
        listener = told;
        for (SimulatedLink link : links) {
            link.listen();
            connected(link);
        }
    }

    @Override
    public void rename(String id) {
        links.forEach(this::unsubscribeAll);
        client.rename(id);
        links.stream().filter(SimulatedLink::isHearing).forEach(this::subscribeAll);
    }

    @Override
    public int partitions() {
        return shape.partitions();
    }

    @Override
    public int partition(String lock) {
        return shape.partition(lock);
    }

    private SimulatedLink link(String lock) {
        return believed[partition(lock)];
    }

    // ================================================================ commands

    @Override
    public void send(Command<?> command, Consumer<Reply> handler) {
        List<String> locks = command.locks();
        if (locks.isEmpty()) {
            links.get(0).send(command, handler, () -> {});
            return;
        }
        int partition = partition(locks.get(0));
        if (locks.stream().anyMatch(lock -> partition(lock) != partition)) {
            throw new Violation(Property.NO_DEFECT, "of several partitions: " + command);
        }
        if (!warm.get(partition) && command instanceof Command.Acquire acquire) {
            Command.Acquire attempt = new Command.Acquire(
                    acquire.lock(),
                    acquire.request(),
                    false,
                    acquire.leaseMillis(),
                    acquire.takeoverMillis(),
                    acquire.notAfter(),
                    acquire.share(),
                    acquire.condition());
            send(attempt, believed[partition], answer -> tried(acquire, partition, answer, handler), 0);
        } else if (!warm.get(partition) && command instanceof Command.Release release && release.next() != null) {
            Command.Release alone = new Command.Release(
                    release.lock(),
                    release.request(),
                    release.firstToken(),
                    release.lastToken(),
                    release.keepMillis(),
                    null,
                    release.held(),
                    release.signals());
            send(alone, believed[partition], answer -> warmUp(partition, answer, handler), 0);
        } else {
            send(command, believed[partition], handler, 0);
        }
    }

    /** Offers every second command, if callers execute commands in this simulation. */
    @Override
    public @Nullable CallerRun offer(Command<?> command, Consumer<Reply> handler) {
        int partition = partition(command.locks().get(0));
        boolean isOffered = executing && direct.nextBoolean() && warm.get(partition) && believed[partition].isUp();
        return isOffered ? new Offered(command, handler, believed[partition]) : null;
    }

    /** A command that its caller executes over a connection of its own, or sends as usual. */
    private final class Offered implements CallerRun {
        private final Command<?> command;
        private final Consumer<Reply> handler;
        private final SimulatedLink link;

        Offered(Command<?> command, Consumer<Reply> handler, SimulatedLink link) {
            this.command = command;
            this.handler = handler;
            this.link = link;
        }

        @Override
        public void run(LongSupplier nanosLeft) {
            if (!link.isUp()) {
                handler.accept(failed(false));
                return;
            }
            executed++;
            Promise<Optional<Reply>> answer = new Promise<>();
            link.sendAlone(
                    command,
                    reply -> answer.decide(Optional.of(reply)),
                    () -> {
                        if (!answer.isDecided()) {
                            answer.decide(Optional.empty());
                            moved(command, link, handler, 0);
                        }
                    },
                    direct);
            long end = client.clock() + COMMAND_TIMEOUT.toNanos();
            while (!answer.isDecided()) {
                long left = Math.min(end - client.clock(), nanosLeft.getAsLong());
                if (left <= 0) {
                    break;
                }
                SimulatedThread.current().block(answer, Math.min(left, LOOKS));
            }
            if (!answer.isDecided()) {
                left++;
                answer.decide(Optional.of(failed(true)));
            }
            answer.value().ifPresent(handler);
        }

        @Override
        public void send() {
            SimulatedBackend.this.send(command, handler);
        }
    }

    /**
     * Passes on the answer to a try. A try that is queued all the same, because the lock is retained, is sent again.
     */
    private void tried(Command.Acquire wish, int partition, Reply answer, Consumer<Reply> handler) {
        if (answer instanceof Reply.Acquired acquired && acquired.verdict() == Reply.Verdict.QUEUED) {
            warmUp(partition, answer, ignored -> send(wish, handler));
        } else if (wish.queue()) {
            warmUp(partition, answer, handler);
        } else {
            handler.accept(answer);
        }
    }

    /** Reports a connection after the client has begun to listen. */
    private void warmUp(int partition, Reply answer, Consumer<Reply> handler) {
        boolean waits = !(answer instanceof Reply.Acquired acquired && acquired.verdict() == Reply.Verdict.GRANTED);
        if (waits && answer instanceof Reply.Answer && !warm.get(partition)) {
            warm.set(partition);
            if (believed[partition].isHearing()) {
                believed[partition].subscribe(partition);
            }
        }
        handler.accept(answer);
    }

    private void send(Command<?> command, SimulatedLink link, Consumer<Reply> handler, int resends) {
        link.send(command, handler, () -> moved(command, link, handler, resends));
    }

    /** Redirects a command after a server's reply that it lacks the lock or one of the locks. */
    private void moved(Command<?> command, SimulatedLink asked, Consumer<Reply> handler, int resends) {
        List<String> locks = command.locks();
        int partition = partition(locks.get(0));
        if (!cluster.isMoving(partition)) {
            time.after(client.id + " looks", random.nextLong(10 * Plan.MILLI), () -> learn(partition));
        }
        if (resends == RESENDS || random.nextInt(10) == 0) {
            handler.accept(failed(false));
        } else if (command instanceof Command.Renew renew && locks.size() > 1) {
            oneByOne(renew, handler);
        } else {
            SimulatedLink there = actual(locks.get(0));
            if (warm.get(partition) && there.isHearing() && random.nextBoolean()) {
                there.subscribe(partition); // in addition to the subscription at the server that the partition leaves
            }
            timeline.add(client.id, "sends again to", there.server, command);
            send(command, there, handler, resends + 1);
            sentAgainTo = there;
            client.moment(Plan.Moment.SENT_AGAIN);
        }
    }

    /** Sends renewals of locks at different servers one by one, and gives one reply for all. */
    private void oneByOne(Command.Renew renew, Consumer<Reply> handler) {
        int count = renew.items().size();
        Reply.Renewed.Item[] items = new Reply.Renewed.Item[count];
        int[] left = {count};
        ServerTime[] newest = new ServerTime[1];
        for (int i = 0; i < count; i++) {
            int at = i;
            Command.Renew part = new Command.Renew(List.of(renew.items().get(i)), renew.notAfter());
            Consumer<Reply> answered = reply -> {
                items[at] = new Reply.Renewed.Item(Reply.Renewal.BROKEN, null);
                if (reply instanceof Reply.Renewed renewed) {
                    items[at] = renewed.items().get(0);
                    newest[0] = renewed.server();
                }
                if (--left[0] == 0) {
                    handler.accept(newest[0] == null ? failed(true) : new Reply.Renewed(newest[0], List.of(items)));
                }
            };
            send(part, link(renew.items().get(i).lock()), answered, 1);
        }
    }

    static Reply.Failed failed(boolean executed) {
        return new Reply.Failed(executed, new BackendException("Simulated: not connected", true, null));
    }

    // ================================================================ where partitions are

    private BitSet partitionsAt(SimulatedLink link) {
        BitSet partitions = new BitSet();
        for (int i = 0; i < believed.length; i++) {
            partitions.set(i, believed[i] == link);
        }
        return partitions;
    }

    /** Lets the client learn after a while that a partition has moved. It gets no message. */
    void hasMoved(int partition) {
        time.after(client.id + " learns", random.nextLong(LEARNS), () -> learn(partition));
    }

    private void learn(int partition) {
        SimulatedLink now = links.get(cluster.home(partition).number);
        SimulatedLink before = believed[partition];
        BackendListener told = listener;
        if (now == before || client.isDead() || told == null) {
            return;
        }
        if (now.isUp() && !now.isWell()) { // the connection hangs, or is being replaced
            time.after(client.id + " looks", 10 * Plan.MILLI, () -> learn(partition));
            return;
        }
        timeline.add(client.id, "learns that partition", partition, "is at", now.server);
        before.unsubscribe(partition);
        believed[partition] = now;
        client.moment(Plan.Moment.LEARNED);
        BitSet moved = new BitSet();
        moved.set(partition);
        if (now.isUp()) {
            if (warm.get(partition)) {
                now.subscribe(partition);
            }
            client.happens(() -> told.connected(now.server.time(), moved));
        } else {
            client.happens(() -> told.disconnected(new IllegalStateException("broken"), moved));
        }
    }

    void subscribeAll(SimulatedLink link) {
        link.subscribeAsOwner();
        partitionsAt(link).stream().filter(warm::get).forEach(link::subscribe);
    }

    void unsubscribeAll(SimulatedLink link) {
        link.unsubscribeAsOwner();
        for (int i = 0; i < believed.length; i++) {
            link.unsubscribe(i);
        }
    }

    /** Reports a new connection to the client. */
    void connected(SimulatedLink link) {
        BackendListener told = listener;
        BitSet partitions = partitionsAt(link);
        if (told != null && believed.length == 1) {
            client.happens(() -> told.connected(link.server.time()));
        } else if (told != null && !partitions.isEmpty()) {
            client.happens(() -> told.connected(link.server.time(), partitions));
        }
    }

    void disconnected(SimulatedLink link) {
        BackendListener told = listener;
        BitSet partitions = partitionsAt(link);
        if (told != null && !partitions.isEmpty()) {
            client.happens(() -> told.disconnected(new IllegalStateException("broken"), partitions));
        }
    }

    void hears(Grant grant) {
        BackendListener told = listener;
        if (told != null) {
            client.happens(() -> told.granted(grant));
        }
    }

    void hears(HolderMessage message) {
        BackendListener told = listener;
        if (told != null) {
            client.happens(() -> told.told(message));
        }
    }

    // ================================================================ what goes wrong

    long delay(Random dice) {
        if (network != Plan.Network.GOOD) {
            int number = dice.nextInt(1_000);
            if (number < network.stuck()) {
                return dice.nextLong(2 * COMMAND_TIMEOUT.toNanos());
            }
            if (number < network.stuck() + network.slow()) {
                return dice.nextLong(50 * Plan.MILLI);
            }
        }
        return 20 * Plan.MICRO + dice.nextLong(200 * Plan.MICRO);
    }

    boolean loses(Random dice) {
        return network.lost() > 0 && dice.nextInt(1_000) < network.lost();
    }

    /** Breaks both connections to the server of a lock, or to the server that a command has just been sent to again. */
    void disconnect(Plan.Fault fault) {
        SimulatedLink again = fault.moment() == Plan.Moment.SENT_AGAIN ? sentAgainTo : null;
        (again == null ? actual(fault.lock()) : again).disconnect(fault.lasts(), fault.half());
    }

    /** Breaks the connections to one server. */
    void disconnect(SimulatedServer server, long outage) {
        links.get(server.number).disconnect(outage, false);
    }

    void deaf(String lock, long outage, boolean halfOpen) {
        actual(lock).deaf(outage, halfOpen);
    }

    /** Delays all messages in both directions, without an error. */
    void silence(long nanos) {
        silentUntil = Math.max(silentUntil, time.now() + nanos);
    }

    long silentUntil() {
        return silentUntil;
    }

    /** Identifies the connection to the server of that lock, or the outage after it. */
    String connection(String lock) {
        return link(lock).connection();
    }

    void heal() {
        network = Plan.Network.GOOD;
    }

    boolean isUp(String lock) {
        return link(lock).isUp();
    }

    /** Returns whether the client can ask for a lock, at the assumed server and at the one it is redirected to. */
    boolean isWell(String lock) {
        return link(lock).isWell() && actual(lock).isWell();
    }

    /** Returns whether the client knows the server of a lock, and so listens there if it listens at all. */
    boolean isAtHome(String lock) {
        return link(lock) == actual(lock);
    }

    private SimulatedLink actual(String lock) {
        return links.get(cluster.lock(lock).server().number);
    }

    /** Ends the client. The servers notice it at once, or after a while. */
    void die(boolean halfOpen) {
        links.forEach(link -> link.disconnect(halfOpen ? 2 * Plan.SECOND : 0, halfOpen));
        listener = null;
    }

    @Override
    public Duration commandTimeout() {
        return COMMAND_TIMEOUT;
    }

    @Override
    public void close() {
        links.forEach(SimulatedLink::close);
        listener = null;
    }

    @Override
    public String toString() {
        return "simulation";
    }
}
