// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.BackendException;
import io.boltwork.Lease;
import io.boltwork.LockOptions;
import io.boltwork.engine.drive.Mailbox;
import io.boltwork.engine.locks.LeaseView;
import io.boltwork.machine.LockMachine;
import io.boltwork.machine.request.Hold;
import io.boltwork.spi.Command;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;

/** A {@link StillClient} whose commands are recorded and may fail, and one lock. Times are in milliseconds. */
public abstract class EngineScene {

    static final long MILLI = 1_000_000;

    /** The maximum number of commands at one moment; more of them are an endless loop. */
    private static final int MOST_AT_ONCE = 100;

    static final LockOptions TEN = LockOptions.renewedLease(Duration.ofSeconds(10));
    static final LockOptions TWENTY = LockOptions.renewedLease(Duration.ofSeconds(20));
    static final LockOptions FIFO = TEN.withFairness(LockOptions.Fairness.FIFO);
    static final LockOptions FIXED = LockOptions.fixedLease(Duration.ofSeconds(10));
    static final BackendException BROKEN = new BackendException("broken", true, null);

    final StillClient client;

    /** The commands that were sent. */
    final List<Command<?>> sent = new ArrayList<>();

    private final List<Long> times = new ArrayList<>();
    private final List<Lease> leases = new ArrayList<>();
    private Function<Command<?>, Reply> answers;

    EngineScene() {
        this(1);
    }

    EngineScene(int partitions) {
        client = new StillClient(partitions);
        answers = client::execute;
        client.wire = this::executes;
        client.timePassesInSleep = true;
    }

    private Reply executes(Command<?> command) {
        int newest = times.size() - 1;
        if (newest >= MOST_AT_ONCE && times.get(newest - MOST_AT_ONCE) == now()) {
            throw new IllegalStateException("time does not pass");
        }
        sent.add(command);
        times.add(now());
        return answers.apply(command);
    }

    @AfterEach
    void isSound() {
        assertThat(client.isSound()).isTrue();
    }

    // ---- the backend

    void answersAgain() {
        answers = client::execute;
    }

    void isSilent() {
        answers = command -> null;
    }

    void isSilentAbout(Class<? extends Command<?>> kind) {
        answers = command -> kind.isInstance(command) ? null : client.execute(command);
    }

    void fails(boolean executed, BackendException cause) {
        answers = command -> new Reply.Failed(executed, cause);
    }

    void answers(Function<Command<?>, Reply> rule) {
        answers = rule;
    }

    void answers(Class<? extends Command<?>> kind, Reply reply) {
        answers = command -> kind.isInstance(command) ? reply : client.execute(command);
    }

    ServerTime time() {
        return client.server.time();
    }

    QueryReply.Inspected look() {
        return client.server.execute(new Query.Inspect("lock"));
    }

    void holdElsewhere(long millis) {
        client.holdElsewhere(millis * MILLI);
    }

    /** Releases the other client's hold, and the next waiter gets the lock by message. */
    void freeElsewhere() {
        client.server.execute(new Command.Withdraw("lock", "other:1", 0));
    }

    // ---- the client

    LockMachine machine() {
        return client.engine.drivers.all().iterator().next().machine;
    }

    /** Runs an event on the lock's machine. */
    void happens(Mailbox.Event<LockMachine> event) {
        client.engine.drivers.post("lock", driver -> event.happen(driver.machine));
    }

    /** Delivers an answer now. */
    void answered(Command.RequestCommand<?> command, long sentAt, Reply reply) {
        happens(machine -> machine.answered(command, sentAt * MILLI, reply));
    }

    Lease acquire(LockOptions options) {
        return kept(client.lock(options).acquire());
    }

    /** Keeps a lease, which would otherwise count as abandoned when the garbage collector finds it. */
    Lease kept(Lease lease) {
        leases.add(lease);
        return lease;
    }

    CompletableFuture<Lease> wish(LockOptions options) {
        return client.lock(options).acquireAsync().toCompletableFuture();
    }

    static Lease granted(CompletableFuture<Lease> wish) {
        assertThat(wish).isCompleted();
        return wish.join();
    }

    /** Runs a task on a thread that has ended on return. */
    static void inThread(String name, Runnable task) throws InterruptedException {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        thread.join(5_000);
        assertThat(thread.isAlive()).isFalse();
    }

    public static Hold holdOf(Lease lease) {
        return ((LeaseView) lease).hold;
    }

    // ---- time

    long now() {
        return client.now() / MILLI;
    }

    void pass(long millis) {
        client.passTo(client.now() + millis * MILLI);
    }

    /** Advances the clock without running tasks; tasks that become due meanwhile are late. */
    void stall(long millis) {
        client.moveTo(client.now() + millis * MILLI);
    }

    /** Advances the clock to the local end of the lease without running tasks. */
    void stallTo(Lease lease) {
        client.moveTo(holdOf(lease).request.deadline());
    }

    // ---- what was sent

    <T extends Command<?>> List<T> sent(Class<T> kind) {
        return sent.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /** Returns the times at which such commands were sent. */
    List<Long> timesOf(Class<? extends Command<?>> kind) {
        List<Long> found = new ArrayList<>();
        for (int i = 0; i < sent.size(); i++) {
            if (kind.isInstance(sent.get(i))) {
                found.add(times.get(i));
            }
        }
        return found;
    }

    /** Returns the requests of all acquires that were sent, in order. */
    List<String> asked() {
        return sent(Command.Acquire.class).stream()
                .map(Command.Acquire::request)
                .toList();
    }

    /** Returns the requests that were withdrawn, in order; {@code null} for a nudge. */
    List<String> withdrawn() {
        List<String> requests = new ArrayList<>();
        sent(Command.Withdraw.class).forEach(withdraw -> requests.add(withdraw.request()));
        return requests;
    }

    void forget() {
        sent.clear();
        times.clear();
    }
}
