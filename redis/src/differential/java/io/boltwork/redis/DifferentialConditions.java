// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.memory.MemoryServer;
import io.boltwork.spi.Command;
import io.boltwork.spi.ConditionWait;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.HeldShare;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply.Inspected;
import io.boltwork.spi.Share;
import io.boltwork.spi.Signal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Sequences of requests that wait for conditions of one lock, are signalled, leave and die. */
final class DifferentialConditions {
    private static final int STEPS = 300;

    /** More requests than four steps move, even if some of them have left before. */
    private static final int CROWD = 5 * LockBackend.PLACES_PER_STEP;

    private static final List<String> CONDITIONS = List.of("", "laim", "a +b", "ü");

    private final DifferentialRun run;
    private final DifferentialCommands commands;
    private final MemoryServer memory;
    private final String lock;
    private final boolean hasClock;

    /** The condition that each request has begun to wait for. */
    private final Map<String, String> conditions = new HashMap<>();

    private int number;

    /** Cleared once a request is too late, does not want to wait, or has a short lease. */
    private boolean isPlanned = true;

    DifferentialConditions(DifferentialRun run, DifferentialCommands commands, MemoryServer memory, boolean hasClock) {
        this.run = run;
        this.commands = commands;
        this.memory = memory;
        this.hasClock = hasClock;
        lock = commands.lock();
    }

    /** @param isCrowded whether many requests wait first */
    void execute(boolean isCrowded) throws Exception {
        if (isCrowded) {
            aCrowdIsSignalled();
            run.delete(lock); // many requests would make each step slow
            conditions.clear();
        }
        step(new Command.Withdraw(lock, null, 0)); // lets the commands know the lock
        for (Scene scene : scenes()) {
            scene.play();
            run.delete(lock);
        }
        isPlanned = false;
        for (int i = 0; i < STEPS; i++) {
            if (hasClock && commands.oneIn(3)) {
                pass();
            }
            if (commands.oneIn(80)) {
                run.delete(lock); // requests still ask as if they waited
            }
            step(next());
        }
    }

    /** A sequence that is planned: steps at random would rarely come so far. */
    private interface Scene {
        void play() throws Exception;
    }

    private List<Scene> scenes() {
        List<Scene> scenes = new ArrayList<>(List.of(
                this::aSignalIsPassedOn,
                () -> aSignalOfTheDeadIsPassedOn(List.of("ghost", "ghost", "carol", "alice"), true),
                () -> aSignalOfTheDeadIsPassedOn(List.of("ghost", "ghost"), false),
                this::twoSignalsOfTheDeadArePassedOn,
                this::aSignalledRequestWantsToWaitAgain,
                () -> aSignalledRequestLeaves(request -> commands.renewalOf(lock, request)),
                () -> aSignalledRequestLeaves(request -> new Command.Withdraw(lock, request, 0)),
                () -> aSignalledOwnerLeaves(owner -> new Command.Withdraw(lock, owner, 0)),
                this::theFirstAndTheLastLeave));
        if (hasClock) {
            scenes.add(this::aShortClaimWithASignalLapses);
            scenes.add(() -> aSignalledOwnerLeaves(owner -> {
                run.pass(LockBackend.CLAIM_MILLIS);
                return commands.newerRestore(lock);
            }));
            scenes.add(
                    () -> aSignalledRequestThatIsGoneLeaves(true, request -> new Command.Withdraw(lock, request, 0)));
            scenes.add(() -> aSignalledRequestThatIsGoneLeaves(true, request -> acquire(request, true)));
            scenes.add(() -> aSignalledRequestThatIsGoneLeaves(false, request -> commands.renewalOf(lock, request)));
            scenes.add(this::theNextAsksWhenASignalledOwnerIsGone);
            scenes.add(this::aWaitingRequestAsksWhenALeaseHasEnded);
            scenes.add(this::aLateReleaseSignalsAsAShortClaimLapses);
        }
        return scenes;
    }

    private interface Leaving {
        Command<?> by(String request) throws Exception;
    }

    private Inspected seen() {
        return memory.execute(new Query.Inspect(lock));
    }

    private void step(Command<?> command) throws Exception {
        run.note("", command);
        run.step(command, false);
    }

    /** Lets time pass: to the end of a lease or a claim, or about there, or for a while. */
    private void pass() throws Exception {
        Inspected now = seen();
        long left = now.untilMillis() - now.server().millis();
        if (left > 0 && commands.oneIn(2)) {
            run.pass(left + commands.below(2));
        } else {
            run.pass(List.of(1L, 300L, 3_000L, 31_000L).get(commands.below(4)));
        }
    }

    /**
     * Signals more requests than three steps move, and lets some of them leave before, and one begin to wait meanwhile.
     * All clients listen: a request that is dropped leaves its signal to the late one.
     */
    private void aCrowdIsSignalled() throws Exception {
        for (int i = 0; i < CROWD; i++) {
            awaitBy(listener() + ":" + ++number, CONDITIONS.get(1));
        }
        List<String> waiting = new ArrayList<>(conditions.keySet());
        awaitBy("bob:" + ++number, CONDITIONS.get(2));
        for (int i = 0; i < 30; i++) {
            String request = waiting.get(commands.below(waiting.size()));
            step(commands.oneIn(2) ? new Command.Withdraw(lock, request, 0) : acquire(request, false));
        }
        // while a request holds the lock, so that the places are used for moving alone
        step(signalling(CONDITIONS.get(1), CROWD / 2));
        step(signalling(CONDITIONS.get(2), 1)); // while signals of the other condition are due
        step(plain(client() + ":" + ++number));
        step(signalling(CONDITIONS.get(1), Signal.ALL));
        String late = listener() + ":" + ++number;
        conditions.put(late, CONDITIONS.get(1));
        step(release(List.of(), acquire(late, true), 0));
        for (int i = 0; i < 2; i++) {
            step(plain(client() + ":" + ++number));
            step(new Command.Withdraw(lock, null, 0));
        }
        step(acquire(late, true)); // still waits, because no signal is meant for it
    }

    private Command<?> signalling(String condition, int waiters) {
        return new Command.Withdraw(lock, null, 0, HeldShare.WHOLE, List.of(new Signal(condition, waiters)));
    }

    /** Takes the lock from a signalled request before it has taken it, while another one waits for the condition. */
    private void aSignalIsPassedOn() throws Exception {
        awaitBy(client() + ":" + ++number, CONDITIONS.get(2));
        awaitBy(client() + ":" + ++number, CONDITIONS.get(2));
        step(acquire("alice:0", false));
        step(release(List.of(new Signal(CONDITIONS.get(2), 1)), null, 0));
        step(new ForceRelease(lock, 0));
    }

    /**
     * Lets a client be found dead that has taken a signal and whose other request is the next one for that signal.
     *
     * @param waiting the clients of the requests that wait for the condition
     * @param isFollowed whether a request waits in the queue behind the signalled one
     */
    private void aSignalOfTheDeadIsPassedOn(List<String> waiting, boolean isFollowed) throws Exception {
        for (String client : waiting) {
            awaitBy(client + ":" + ++number, CONDITIONS.get(3));
        }
        step(acquire("alice:0", false));
        step(plain("alice:" + ++number));
        step(release(List.of(new Signal(CONDITIONS.get(3), 1)), null, 0));
        if (isFollowed) {
            step(plain("bob:" + ++number));
        }
        step(release(List.of(), null, 0));
    }

    /**
     * Lets two requests of a dead client take signals of two conditions, of which only the first has another living
     * waiter.
     */
    private void twoSignalsOfTheDeadArePassedOn() throws Exception {
        awaitBy("ghost:" + ++number, CONDITIONS.get(1));
        awaitBy("ghost:" + ++number, CONDITIONS.get(2));
        awaitBy("carol:" + ++number, CONDITIONS.get(1));
        awaitBy("ghost:" + ++number, CONDITIONS.get(2));
        step(acquire("alice:0", false));
        step(plain("alice:" + ++number));
        step(release(List.of(new Signal(CONDITIONS.get(1), 1), new Signal(CONDITIONS.get(2), 1)), null, 0));
        step(release(List.of(), null, 0));
    }

    /** Signals a request, and lets it begin to wait for the same condition in the same step. */
    private void aSignalledRequestWantsToWaitAgain() throws Exception {
        String request = "bob:" + ++number;
        awaitBy(request, CONDITIONS.get(1));
        step(acquire("alice:0", false));
        step(release(List.of(new Signal(CONDITIONS.get(1), 1)), acquire(request, true), 0));
    }

    /** Lets a signalled request leave the queue while another one waits for the condition. */
    private void aSignalledRequestLeaves(Leaving leaving) throws Exception {
        String request = "bob:" + ++number;
        awaitBy(request, CONDITIONS.get(1));
        awaitBy("carol:" + ++number, CONDITIONS.get(1));
        step(acquire("alice:0", false));
        step(plain("alice:" + ++number));
        step(release(List.of(new Signal(CONDITIONS.get(1), 1)), null, 0));
        step(leaving.by(request));
    }

    /**
     * Lets a signalled request leave the middle of the queue after a claim of its client has lapsed.
     *
     * @param isFollowed whether another request waits for the condition
     */
    private void aSignalledRequestThatIsGoneLeaves(boolean isFollowed, Leaving leaving) throws Exception {
        String request = "bob:" + ++number;
        awaitBy(request, CONDITIONS.get(1));
        if (isFollowed) {
            awaitBy("carol:" + ++number, CONDITIONS.get(1));
        }
        step(acquire("alice:0", false));
        for (String client : List.of("bob", "alice", "carol")) {
            step(plain(client + ":" + ++number));
        }
        step(release(List.of(new Signal(CONDITIONS.get(1), 1)), null, 0));
        run.pass(LockBackend.CLAIM_MILLIS);
        step(new Command.Withdraw(lock, null, 0));
        step(leaving.by(request));
    }

    /** Lets a signalled request lose the lock before it has confirmed it, while another one waits for the condition. */
    private void aSignalledOwnerLeaves(Leaving leaving) throws Exception {
        String request = "bob:" + ++number;
        awaitBy(request, CONDITIONS.get(1));
        awaitBy("carol:" + ++number, CONDITIONS.get(1));
        step(acquire("alice:0", false));
        step(release(List.of(new Signal(CONDITIONS.get(1), 1)), null, 0));
        step(leaving.by(request));
    }

    /** Lets the first and the last of three requests stop waiting, and another one begin. */
    private void theFirstAndTheLastLeave() throws Exception {
        List<String> requests = new ArrayList<>();
        for (String client : List.of("bob", "carol", "alice")) {
            requests.add(client + ":" + ++number);
            awaitBy(requests.get(requests.size() - 1), CONDITIONS.get(1));
        }
        step(new Command.Withdraw(lock, requests.get(0), 0));
        step(new Command.Withdraw(lock, requests.get(2), 0));
        awaitBy("bob:" + ++number, CONDITIONS.get(1));
        step(acquire("alice:0", false));
        step(release(List.of(new Signal(CONDITIONS.get(1), Signal.ALL)), null, 0));
    }

    /** Lets a request ask that a signal wakes just then, because its owner has not confirmed the lock. */
    private void theNextAsksWhenASignalledOwnerIsGone() throws Exception {
        String next = "carol:" + ++number;
        awaitBy("bob:" + ++number, CONDITIONS.get(1));
        awaitBy(next, CONDITIONS.get(1));
        step(acquire("alice:0", false));
        step(release(List.of(new Signal(CONDITIONS.get(1), 1)), null, 0));
        run.pass(LockBackend.CLAIM_MILLIS);
        step(acquire(next, true));
    }

    /**
     * Lets a request ask that waits for a condition, so that a lock whose lease has ended is granted to another one.
     */
    private void aWaitingRequestAsksWhenALeaseHasEnded() throws Exception {
        String waiting = "bob:" + ++number;
        awaitBy(waiting, CONDITIONS.get(1));
        step(acquire("alice:0", false));
        step(plain("carol:" + ++number));
        run.pass(60_000);
        step(acquire(waiting, true));
    }

    /**
     * Lets a request that no longer owns the lock signal another one, as a short claim lapses: the request of that
     * claim enters the queue first.
     */
    private void aLateReleaseSignalsAsAShortClaimLapses() throws Exception {
        step(acquire("alice:0", false));
        step(plain("bob:" + ++number));
        step(release(List.of(), null, 0));
        run.pass(LockBackend.CLAIM_MILLIS);
        step(new Command.Withdraw(lock, null, 0));
        awaitBy("carol:" + ++number, CONDITIONS.get(1));
        step(acquire("alice:0", false));
        step(plain("bob:" + ++number));
        Command.Release late = release(List.of(new Signal(CONDITIONS.get(1), 1)), null, 0);
        step(release(List.of(), null, 0));
        run.pass(LockBackend.SHORT_CLAIM_MILLIS);
        step(late);
    }

    /** Lets a claim lapse, and within the time of short claims one that has taken a signal: it keeps its signal. */
    private void aShortClaimWithASignalLapses() throws Exception {
        step(acquire("alice:0", false));
        step(plain("bob:" + ++number));
        step(release(List.of(), null, 0));
        run.pass(LockBackend.CLAIM_MILLIS);
        step(new Command.Withdraw(lock, null, 0));
        awaitBy("carol:" + ++number, CONDITIONS.get(1));
        awaitBy("alice:" + ++number, CONDITIONS.get(1));
        step(acquire("alice:0", false));
        step(release(List.of(new Signal(CONDITIONS.get(1), 1)), null, 0));
        run.pass(LockBackend.SHORT_CLAIM_MILLIS);
        step(new Command.Withdraw(lock, null, 0));
    }

    private void awaitBy(String request, String condition) throws Exception {
        run.send(acquire("alice:0", false));
        conditions.put(request, condition);
        run.send(release(List.of(), acquire(request, true), 0));
    }

    private String client() {
        return commands.oneIn(16) ? "ghost" : listener();
    }

    private String listener() {
        return DifferentialCommands.LISTENERS.get(commands.below(DifferentialCommands.LISTENERS.size()));
    }

    private Command<?> next() {
        Inspected now = seen();
        int dice = commands.below(20);
        if (dice < 8) {
            return now.owner() == null ? ask(now) : endOfHold(now);
        } else if (dice < 13) {
            return ask(now);
        } else if (dice < 15) {
            return new Command.Withdraw(
                    lock, someone(now), 0, HeldShare.WHOLE, commands.oneIn(3) ? signals() : List.of());
        } else if (dice == 15) {
            return new Command.Withdraw(lock, null, 0);
        } else if (dice == 16) {
            return new ForceRelease(lock, 0);
        } else if (dice == 17) {
            return commands.renewalOf(lock, someone(now));
        } else if (dice == 18) {
            return commands.newerRestore(lock);
        }
        return release(signals(), null); // by anyone
    }

    /** Returns a release with signals, after which another request may wait, for the lock or a condition. */
    private Command<?> endOfHold(Inspected now) {
        String next = client() + ":" + ++number;
        if (commands.oneIn(8) && !now.queue().isEmpty()) {
            next = now.queue().get(0).request();
        }
        if (commands.oneIn(3)) {
            return release(signals(), commands.oneIn(2) ? null : plain(next));
        }
        if (commands.oneIn(8) && !conditions.isEmpty()) {
            next = known(); // it may wait already
        }
        conditions.put(next, CONDITIONS.get(commands.below(CONDITIONS.size())));
        return release(signals(), acquire(next, !commands.oneIn(10)));
    }

    private List<Signal> signals() {
        List<Signal> signals = new ArrayList<>();
        for (String condition : CONDITIONS) {
            if (commands.oneIn(3)) {
                signals.add(new Signal(condition, commands.oneIn(4) ? Signal.ALL : 1 + commands.below(2)));
            }
        }
        return signals;
    }

    /** Returns an acquire of a request that waits, has waited, or is new. */
    private Command<?> ask(Inspected now) {
        String request = someone(now);
        return conditions.containsKey(request) ? acquire(request, !commands.oneIn(3)) : plain(request);
    }

    private String someone(Inspected now) {
        if (!conditions.isEmpty() && !commands.oneIn(4)) {
            return known();
        } else if (!now.queue().isEmpty() && commands.oneIn(2)) {
            return now.queue().get(commands.below(now.queue().size())).request();
        } else if (now.owner() != null && commands.oneIn(2)) {
            return now.owner();
        }
        return client() + ":" + ++number;
    }

    /** Returns a request that has begun to wait for a condition. */
    private String known() {
        List<String> known = conditions.keySet().stream().sorted().toList();
        return known.get(known.size() - 1 - commands.below(Math.min(known.size(), 12)));
    }

    private Command.Acquire plain(String request) {
        return new Command.Acquire(lock, request, true, 60_000, 0, notAfter());
    }

    private Command.Acquire acquire(String request, boolean goesOn) {
        String condition = conditions.get(request);
        return new Command.Acquire(
                lock,
                request,
                isPlanned || !commands.oneIn(10),
                !isPlanned && commands.oneIn(5) ? 250 : 60_000,
                !isPlanned && commands.oneIn(5) ? 5 : 0,
                notAfter(),
                Share.WHOLE,
                condition == null ? null : new ConditionWait(condition, goesOn));
    }

    private long notAfter() {
        return !isPlanned && commands.oneIn(12) ? seen().server().millis() - 1 : Long.MAX_VALUE;
    }

    private Command.Release release(List<Signal> signals, Command.@Nullable Acquire next) {
        return release(signals, next, !isPlanned && commands.oneIn(20) ? 5 : 0);
    }

    private Command.Release release(List<Signal> signals, Command.@Nullable Acquire next, long keep) {
        Inspected now = seen();
        String owner = now.owner() == null ? "alice:0" : now.owner();
        return new Command.Release(lock, owner, now.token(), now.token(), keep, next, HeldShare.WHOLE, signals);
    }
}
