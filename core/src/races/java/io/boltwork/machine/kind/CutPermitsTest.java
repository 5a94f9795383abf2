// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.kind;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockKind;
import io.boltwork.LockOptions;
import io.boltwork.engine.StillClient;
import io.boltwork.engine.drive.LockDriver;
import io.boltwork.engine.drive.LockKey;
import io.boltwork.machine.LockMachine;
import io.boltwork.machine.Repair;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Waiter;
import io.boltwork.machine.state.Effects;
import io.boltwork.spi.Command.RequestCommand;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Errors cut short the steps of a semaphore's machine, which is repaired afterwards. */
class CutPermitsTest {
    private static final StackOverflowError END = new StackOverflowError("in a test");
    private static final long TIMEOUT = TimeUnit.SECONDS.toNanos(2);
    private static final LockOptions OPTIONS = LockOptions.renewedLease(Duration.ofSeconds(10));
    private static final LockTerms ONE = LockTerms.of(OPTIONS, 1);
    private static final LockTerms TWO = LockTerms.of(OPTIONS, 2);
    private static final String NAME = "lock";

    /** A semaphore with two permits, and the commands that its machine has sent. */
    private static final class World {
        final StillClient client = new StillClient();
        final Permits permits = new Permits((here, there) -> {});
        final Queue<RequestCommand<?>> sent = new ArrayDeque<>();
        final LockMachine machine = new LockMachine(effects(), permits);

        /** The number of calls of the environment until one is cut short. */
        long left = Long.MAX_VALUE;

        World() {
            permits.configure(2);
        }

        private Effects effects() {
            Object key = LockKey.of(LockKind.SEMAPHORE, NAME);
            client.engine.drivers.post(key, driver -> {});
            LockDriver driver = client.engine.drivers.driver(key);
            Class<?>[] types = {Effects.class};
            return (Effects) Proxy.newProxyInstance(Effects.class.getClassLoader(), types, (self, method, args) -> {
                if (method.getName().equals("share")) {
                    return permits.share((int) args[0]);
                }
                if (--left == 0) {
                    throw END;
                }
                if (method.getName().equals("send")) {
                    return sent.add((RequestCommand<?>) args[0]) ? null : null;
                }
                try {
                    return method.invoke(driver, args);
                } catch (InvocationTargetException failed) {
                    throw failed.getCause();
                }
            });
        }

        /** Runs a step, which an error may cut short. */
        void step(Runnable event) {
            try {
                event.run();
            } catch (StackOverflowError cut) {
                assertThat(cut).isSameAs(END);
            }
        }

        void answerAll() {
            for (RequestCommand<?> command; (command = sent.poll()) != null; ) {
                RequestCommand<?> next = command;
                step(() -> machine.answered(next, 0, client.execute(next)));
            }
        }

        /** Repairs the machine at once, and after the command timeout. */
        void repair() {
            for (int i = 0; i < 2; i++) {
                Repair.of(machine, client.now(), TIMEOUT);
                answerAll();
                client.moveTo(client.now() + TIMEOUT + 1);
                machine.tick(); // what was not sent counts as unanswered
                answerAll();
            }
        }

        QueryReply.Inspected server() {
            return client.server.execute(new Query.Inspect(NAME, LockKind.SEMAPHORE));
        }
    }

    @Test
    void nothingIsLeftWhereverTheStepsAreCutShort() {
        boolean isCut = true;
        for (int cutAt = 1; isCut; cutAt++) {
            World world = new World();
            world.left = cutAt;
            List<Waiter> waiters = List.of(
                    Waiter.ofHandle(ONE, false),
                    Waiter.ofHandle(TWO, false),
                    Waiter.ofHandle(ONE, false),
                    Waiter.ofHandle(ONE, true));
            waiters.forEach(waiter -> world.step(() -> world.machine.request(waiter)));
            world.answerAll();
            List.copyOf(world.machine.holds()).stream().limit(1).forEach(hold -> leave(world, hold));
            world.answerAll();
            world.step(() -> world.machine.cancel(waiters.get(1), true));
            world.answerAll();
            isCut = world.left <= 0;
            world.left = Long.MAX_VALUE;
            waiters.forEach(waiter -> waiter.forsaken = true);
            world.repair();
            assertThat(world.server().holders())
                    .as("holders, cut at call %d", cutAt)
                    .isEmpty();
            assertThat(world.server().queue())
                    .as("queue, cut at call %d", cutAt)
                    .isEmpty();
            assertThat(world.permits.lines.wanted())
                    .as("requests, cut at call %d", cutAt)
                    .isZero();
            assertThat(world.machine.waiting())
                    .as("waiters, cut at call %d", cutAt)
                    .isZero();
            Waiter all = Waiter.ofHandle(TWO, false);
            world.machine.request(all);
            world.answerAll();
            assertThat(all.outcome.isDecided())
                    .as("both permits, cut at call %d", cutAt)
                    .isTrue();
            assertThat(cutAt).isLessThan(1_000);
        }
    }

    private static void leave(World world, Hold hold) {
        long left = world.left;
        world.left = Long.MAX_VALUE; // a caller that is cut short here is another test
        assertThat(hold.take(hold.taker())).isTrue();
        hold.leaveAll();
        hold.owed = Hold.OWED_RELEASE;
        world.left = left;
        world.step(() -> {
            world.machine.release(hold);
            hold.owed = 0;
        });
    }

    @Test
    void whatIsHalfDoneIsCountedAnew() {
        World world = new World();
        Lines lines = world.permits.lines;
        Waiter waiter = Waiter.ofHandle(ONE, false);
        lines.add(waiter);
        Request lost = lines.request(world.machine, lines.unrepresented());
        world.machine.requests.remove(lost); // or an error has kept it from them
        world.permits.mend(world.machine);
        assertThat(lines.wanted()).isZero();
        assertThat(lines.size()).isEqualTo(1);
        assertThat(lines.unrepresented()).isNotNull();
        lines.remove(waiter);
        lines.withdrawSurplus(world.machine);
        assertThat(lines.isEmpty()).isTrue();
        assertThat(lines.wanted()).isZero();
    }

    @Test
    void unusedLinesAreForgottenWhenThereAreMany() {
        World world = new World();
        Lines lines = world.permits.lines;
        for (int permits = 1; permits <= 100; permits++) {
            Waiter waiter = Waiter.ofHandle(LockTerms.of(LockOptions.defaults(), permits), false);
            lines.add(waiter);
            lines.remove(waiter);
        }
        assertThat(lines.all()).hasSizeLessThanOrEqualTo(4);
    }

    @Test
    void permitsOfAHoldThatNeverBeganAreCountedAnew() {
        World world = new World();
        Waiter waiter = Waiter.ofHandle(TWO, false);
        world.machine.request(waiter);
        world.answerAll();
        Hold held = world.machine.holds().iterator().next();
        world.permits.begins(world.machine, held); // once more, as if an error had cut short its end
        world.permits.mend(world.machine);
        leave(world, held);
        world.answerAll();
        List<Waiter> next = List.of(Waiter.ofHandle(ONE, false), Waiter.ofHandle(ONE, false));
        next.forEach(world.machine::request);
        assertThat(world.sent).as("acquires").hasSize(2);
    }
}
