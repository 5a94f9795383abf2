// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine;

import io.boltwork.BackendException;
import io.boltwork.machine.latch.LatchChange;
import io.boltwork.machine.latch.LatchEffects;
import io.boltwork.machine.latch.LatchMachine;
import io.boltwork.machine.latch.LatchWaiter;
import io.boltwork.machine.request.LockTiming;
import io.boltwork.machine.request.Promise;
import io.boltwork.machine.request.Ticker;
import io.boltwork.spi.LatchCommand;
import io.boltwork.spi.LatchOpened;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.LatchOutcome;
import io.boltwork.spi.rules.LatchAtServer;
import io.boltwork.spi.rules.ServerClock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A simulation of one latch, determined by its seed: clients that set it, count down and wait; a network that delays
 * and loses commands, replies and messages; connections that break; and a server that forgets everything, or is
 * replaced by one that is behind. Time is virtual.
 *
 * <p>It checks that no caller passes before the generation that it waits for has ended, that a generation ends only
 * after as many changes as its count, that a change counts once, that every call ends, and that clients forget the
 * latch when it is not in use.
 */
final class LatchWorld {

    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    /** The time during which there are faults. */
    private static final long FAULTS = 40 * SECOND;

    private static final long START_MICROS = 1_800_000_000_000_000L;
    private static final LockTiming TIMING = new LockTiming(500 * MILLI, MILLI, 30 * SECOND, 0, 4);
    private static final long PROMPT_MICROS = 20_000;
    private static final int TRACE = 120;

    private record Task(long at, long number, Runnable action) implements Comparable<Task> {
        @Override
        public int compareTo(Task other) {
            return at == other.at ? Long.compare(number, other.number) : Long.compare(at, other.at);
        }
    }

    private final long seed;
    private final Random random;
    private final PriorityQueue<Task> tasks = new PriorityQueue<>();
    private final LatchAtServer server = new LatchAtServer();
    private final List<Client> clients = new ArrayList<>();
    private final List<Call> calls = new ArrayList<>();
    private final List<LatchChange> counts = new ArrayList<>();
    private final ArrayDeque<String> trace = new ArrayDeque<>();
    private long now;
    private long number;
    private boolean faulty = true;
    private final int losses;
    private final boolean forgets;

    /** True if there are no faults, so that callers pass as soon as they get the message. */
    private final boolean calm;

    /** A call of a user, and how it must end. */
    private final class Call {
        final Client client;
        final @Nullable LatchWaiter waiter;
        final @Nullable LatchChange change;
        final long begun = micros();
        final boolean timed;

        Call(Client client, @Nullable LatchWaiter waiter, @Nullable LatchChange change, boolean timed) {
            this.client = client;
            this.waiter = waiter;
            this.change = change;
            this.timed = timed;
        }

        boolean isDecided() {
            return waiter != null ? waiter.outcome.isDecided() : change != null && change.outcome.isDecided();
        }

        void ended() {
            if (waiter != null) {
                ended(waiter);
            } else if (change != null) {
                ended(change);
            }
        }

        private void ended(LatchChange made) {
            if (made.outcome.value() instanceof LatchChange.Failed failed) {
                throw violation("a change failed: " + failed.cause());
            }
            Reply.Latched reply = ((LatchChange.Answered) made.outcome.value()).reply();
            if (made.count > 0
                    && server.wasSetBy(made.id) != (reply.outcome() != LatchOutcome.REFUSED)
                    && !server.isLossy) {
                throw violation(made.id + " was answered " + reply.outcome());
            }
        }

        private void ended(LatchWaiter wait) {
            LatchWaiter.Result result = wait.outcome.value();
            if (result == LatchWaiter.Ended.OPEN) {
                boolean right = wait.generation > 0 ? server.hasEnded(wait.generation) : server.wasOpenSince(begun);
                if (!right) {
                    throw violation("passed too early: generation " + wait.generation);
                }
                if (calm && wait.generation > 0 && micros() - server.endOf(wait.generation) > PROMPT_MICROS) {
                    throw violation("passed late: generation " + wait.generation);
                }
            } else if (result instanceof LatchWaiter.Failed failed && !timed) {
                if (!server.isLossy
                        || !String.valueOf(failed.cause().getMessage()).contains("has forgotten")) {
                    throw violation("a wait failed: " + failed.cause());
                }
            }
        }
    }

    /** A client and its connection. */
    private final class Client implements LatchEffects {
        final String id;
        final LatchMachine machine = new LatchMachine(this);
        private final List<LatchCommand> underWay = new ArrayList<>();
        private ServerClock clock = new ServerClock("");
        private String connectedTo = "";
        private boolean up;
        private int connection;
        private long timerAt = Ticker.NEVER;

        Client(String id) {
            this.id = id;
            connect();
        }

        void connect() {
            boolean another = !connectedTo.isEmpty() && !connectedTo.equals(server.run());
            up = true;
            connectedTo = server.run();
            clock = new ServerClock(connectedTo, clock);
            clock.read(micros() / 1_000, now, 0);
            note(id + " connected" + (another ? " to another" : ""));
            happen(() -> machine.connected(another));
        }

        void disconnect() {
            if (!up) {
                return;
            }
            up = false;
            connection++;
            note(id + " disconnected");
            List<LatchCommand> failed = List.copyOf(underWay);
            underWay.clear();
            happen(machine::disconnected);
            for (LatchCommand command : failed) {
                happen(() -> machine.answered(command, failure(true)));
            }
        }

        private Reply.Failed failure(boolean executed) {
            return new Reply.Failed(executed, new BackendException("not connected", true, null));
        }

        /** Runs an event of the machine, and sets the timer. */
        void happen(Runnable event) {
            event.run();
            long at = machine.wakeAt();
            if (at < timerAt) {
                timerAt = at;
                after(Math.max(0, at - now), this::wake);
            }
            for (Call call : List.copyOf(calls)) {
                if (call.client == this && call.isDecided()) {
                    calls.remove(call);
                    call.ended();
                }
            }
        }

        private void wake() {
            if (now >= timerAt) {
                timerAt = Ticker.NEVER;
                happen(machine::tick);
            }
        }

        @Override
        public void send(LatchCommand command) {
            if (!up) {
                after(0, () -> happen(() -> machine.answered(command, failure(false))));
                return;
            }
            underWay.add(command);
            int by = connection;
            String to = connectedTo;
            boolean arrives = !lost();
            boolean answered = !lost();
            after(delay(), () -> {
                if (arrives && to.equals(server.run())) { // a connection that broke may deliver late bytes
                    Reply.Latched reply = server.execute(command, micros(), LatchWorld.this::publish);
                    note(id + " " + command + " → " + reply.outcome() + " " + reply.count() + " " + reply.generation());
                    if (answered) {
                        after(delay(), () -> reply(command, reply, by));
                    }
                }
            });
        }

        private void reply(LatchCommand command, Reply.Latched reply, int by) {
            if (up && by == connection) {
                underWay.removeIf(sent -> sent == command);
                clock.read(reply.server().millis(), now, 0);
                happen(() -> machine.answered(command, reply));
            }
        }

        void heard(LatchOpened opened) {
            if (up && connectedTo.equals(opened.server().run())) {
                note(id + " hears " + opened.generation());
                happen(() -> machine.opened(opened));
            }
        }

        @Override
        public String latch() {
            return "latch";
        }

        @Override
        public String client() {
            return id;
        }

        @Override
        public long now() {
            return now;
        }

        @Override
        public LockTiming timing() {
            return TIMING;
        }

        @Override
        public ServerClock serverClock() {
            return clock;
        }

        @Override
        public long random(long bound) {
            return random.nextLong(bound);
        }

        @Override
        public <T> void decide(Promise<T> outcome, T value) {
            outcome.decide(value);
        }
    }

    LatchWorld(long seed) {
        this.seed = seed;
        this.random = new Random(seed);
        this.losses = random.nextInt(3) * 8; // percent
        this.forgets = random.nextInt(3) == 0;
        this.calm = losses == 0 && random.nextInt(2) == 0;
    }

    /**
     * A server that takes over has lost the setting of a generation. A count of that generation reaches it before the
     * setting is repeated. The generation before has ended, or there is none.
     */
    void aCountComesBeforeTheSettingThatWasLost(boolean isFirst) {
        faulty = false;
        for (int i = 0; i < 3; i++) {
            clients.add(new Client("client" + i));
        }
        if (!isFirst) {
            change(clients.get(0), LatchChange.set("before", 1));
            runUntil(now + 10 * MILLI);
            change(clients.get(1), LatchChange.countDown("before"));
        }
        runUntil(now + SECOND);
        change(clients.get(0), LatchChange.set("lost", 2));
        runUntil(now + 10 * MILLI);
        await(clients.get(2), false);
        runUntil(now + 10 * MILLI);
        server.failOver(micros(), 100_000);
        clients.forEach(Client::disconnect);
        clients.get(1).connect();
        change(clients.get(1), LatchChange.countDown("first"));
        runUntil(now + SECOND);
        clients.get(0).connect();
        clients.get(2).connect();
        runUntil(now + 2 * SECOND);
        if (server.count() != 1) {
            throw violation("the count is " + server.count());
        }
        change(clients.get(1), LatchChange.countDown("second"));
        runUntil(now + 2 * SECOND);
        if (!calls.isEmpty() || server.count() != 0) {
            throw violation(calls.size() + " calls have not ended");
        }
        runUntil(now + 30 * SECOND);
        if (clients.stream().anyMatch(client -> !client.machine.isIdle())) {
            throw violation("a client has not forgotten the latch");
        }
    }

    private long micros() {
        return START_MICROS + now / 1_000;
    }

    private void after(long delay, Runnable action) {
        tasks.add(new Task(now + delay, ++number, action));
    }

    private boolean lost() {
        return faulty && random.nextInt(100) < losses;
    }

    private long delay() {
        boolean slow = faulty && !calm && random.nextInt(20) == 0;
        return random.nextLong(slow ? 2 * SECOND : 2 * MILLI);
    }

    private void publish(String client, LatchOpened opened) {
        for (Client each : clients) {
            if (each.id.equals(client) && !lost()) {
                after(delay(), () -> each.heard(opened));
                if (random.nextInt(10) == 0) {
                    after(delay(), () -> each.heard(opened));
                }
            }
        }
    }

    private void note(String what) {
        trace.add(now / MILLI + " ms " + what);
        if (trace.size() > TRACE) {
            trace.remove();
        }
    }

    private AssertionError violation(String what) {
        return new AssertionError(
                "-Dboltwork.seed=" + seed + ": " + what + "\n" + server + "\n" + String.join("\n", trace));
    }

    // ================================================================ what happens

    void run() {
        for (int i = 0; i < 3; i++) {
            clients.add(new Client("client" + i));
        }
        act();
        if (!calm) {
            after(random.nextLong(5 * SECOND), this::fault);
        }
        runUntil(FAULTS);
        faulty = false;
        clients.stream().filter(client -> !client.up).forEach(Client::connect);
        runUntil(now + 15 * SECOND); // repetitions end
        for (int i = 0; server.count() > 0 && i < 200; i++) {
            change(clients.get(0), LatchChange.countDown("last" + i));
            runUntil(now + 20 * MILLI);
        }
        runUntil(now + 30 * SECOND);
        if (server.generation() == 0) { // those that wait for the first count
            change(clients.get(0), LatchChange.set("final", 1));
            runUntil(now + SECOND);
            change(clients.get(0), LatchChange.countDown("final"));
            runUntil(now + 30 * SECOND);
        }
        for (Call call : calls) {
            throw violation(
                    "a call has not ended: " + (call.waiter == null ? "change" : "wait") + " since " + call.begun);
        }
        for (LatchChange change : counts) {
            if (change.id.startsWith("c")) { // made for one call
                List<Long> generations = server.generationsOf(change.id);
                if (generations.size() > 1 && generations.get(generations.size() - 1) > change.latest) {
                    throw violation(change.id + " was counted in the generations " + generations);
                }
            }
        }
        for (Client client : clients) {
            if (!client.machine.isIdle()) {
                throw violation(client.id + " has not forgotten the latch");
            }
        }
    }

    private void runUntil(long end) {
        for (Task next = tasks.peek(); next != null && next.at <= end; next = tasks.peek()) {
            tasks.remove();
            now = next.at;
            try {
                next.action.run();
            } catch (AssertionError e) {
                throw e.getMessage().startsWith("-D") ? e : violation(e.getMessage());
            }
        }
        now = end;
    }

    /** Lets a user do something, and later another one. */
    private void act() {
        if (!faulty) {
            return;
        }
        Client client = clients.get(random.nextInt(clients.size()));
        switch (random.nextInt(6)) {
            case 0 -> change(client, LatchChange.set("set" + number, 1 + random.nextInt(4)));
            case 1, 2 ->
                change(client, LatchChange.countDown(random.nextInt(3) == 0 ? "p" + random.nextInt(5) : "c" + number));
            case 3 -> await(client, true);
            default -> await(client, false);
        }
        after(random.nextLong(random.nextBoolean() ? 20 * MILLI : 2 * SECOND), this::act);
    }

    private void change(Client client, LatchChange change) {
        boolean busy = calls.stream()
                .anyMatch(call -> call.client == client && call.change != null && call.change.id.equals(change.id));
        if (!busy) { // equal ids of one client are one change
            calls.add(new Call(client, null, change, false));
            counts.add(change);
            client.happen(() -> client.machine.change(change));
        }
    }

    private void await(Client client, boolean timed) {
        LatchWaiter waiter = new LatchWaiter(random.nextInt(8) == 0);
        calls.add(new Call(client, waiter, null, timed || waiter.once));
        client.happen(() -> client.machine.await(waiter));
        if (timed || waiter.once) {
            after(random.nextLong(3 * SECOND), () -> giveUp(client, waiter));
        }
    }

    private void giveUp(Client client, LatchWaiter waiter) {
        client.happen(() -> client.machine.giveUp(waiter, random.nextBoolean()));
        if (!waiter.outcome.isDecided()) {
            throw violation("a wait goes on");
        }
    }

    private void fault() {
        if (!faulty) {
            return;
        }
        int which = random.nextInt(forgets ? 6 : 4);
        if (which < 3) {
            Client client = clients.get(random.nextInt(clients.size()));
            client.disconnect();
            after(random.nextLong(4 * SECOND), () -> {
                if (!client.up) {
                    client.connect();
                }
            });
        } else if (which == 3) {
            note("a replica takes over");
            server.failOver(micros(), random.nextLong(2_000_000));
            clients.forEach(Client::disconnect);
            for (Client client : clients) {
                after(random.nextLong(2 * SECOND), () -> {
                    if (!client.up) {
                        client.connect();
                    }
                });
            }
        } else if (which == 4) {
            note("flushed");
            server.flush();
        }
        after(random.nextLong(10 * SECOND), this::fault);
    }
}
