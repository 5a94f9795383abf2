// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockOptions;
import io.boltwork.engine.drive.LockDriver;
import io.boltwork.machine.LockMachine;
import io.boltwork.machine.Repair;
import io.boltwork.machine.kind.Exclusive;
import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.Waiter;
import io.boltwork.machine.state.Effects;
import io.boltwork.spi.Command.RequestCommand;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.Reply;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * An error cuts short the handling of an answer, at each call that the machine makes to its environment, one after the
 * other.
 */
class CutAnswerTest {
    private static final StackOverflowError END = new StackOverflowError("in a test");
    private static final long TIMEOUT = TimeUnit.SECONDS.toNanos(2);
    private static final long NEVER_CUT = Long.MAX_VALUE;
    private static final LockOptions OPTIONS = LockOptions.renewedLease(Duration.ofSeconds(10));

    private final StillClient client = new StillClient();
    private final Queue<RequestCommand<?>> sent = new ArrayDeque<>();
    private final LockMachine machine = new LockMachine(effects(), Exclusive.LOCK);

    /** The number of calls until one is cut short. */
    private long left = NEVER_CUT;

    /** Returns the environment of a lock of the client. Its commands are kept until the test executes them. */
    private Effects effects() {
        client.engine.drivers.post("lock", driver -> {});
        LockDriver driver = client.engine.drivers.driver("lock");
        Class<?>[] types = {Effects.class};
        return (Effects) Proxy.newProxyInstance(Effects.class.getClassLoader(), types, (self, method, args) -> {
            if (--left == 0) {
                throw END;
            }
            if (method.getName().equals("send")) {
                sent.add((RequestCommand<?>) args[0]);
                return null;
            }
            return call(driver, method, args);
        });
    }

    private static Object call(LockDriver driver, Method method, Object[] args) throws Throwable {
        try {
            return method.invoke(driver, args);
        } catch (InvocationTargetException failed) {
            throw failed.getCause();
        }
    }

    /**
     * Executes the oldest command, and hands its answer to the machine. Returns whether an error has cut this short.
     */
    private boolean answer(long cutAt) {
        RequestCommand<?> command = sent.remove();
        Reply reply = client.execute(command);
        left = cutAt;
        try {
            machine.answered(command, 0, reply);
            return false;
        } catch (StackOverflowError cut) {
            return true;
        } finally {
            left = NEVER_CUT;
        }
    }

    private QueryReply.Inspected server() {
        return client.server.execute(new Query.Inspect("lock"));
    }

    @Test
    void aGrantIsWithdrawnThoughItsAnswerWasCutShort() {
        isWithdrawnWhereverItsAnswerIsCutShort(LockOptions.Fairness.BATCHED, null);
        isWithdrawnWhereverItsAnswerIsCutShort(LockOptions.Fairness.FIFO, null);
    }

    @Test
    void aPlaceInTheQueueIsWithdrawnThoughItsAnswerWasCutShort() {
        client.holdElsewhere(TimeUnit.MINUTES.toNanos(1));
        isWithdrawnWhereverItsAnswerIsCutShort(LockOptions.Fairness.BATCHED, "other:1");
        isWithdrawnWhereverItsAnswerIsCutShort(LockOptions.Fairness.FIFO, "other:1");
    }

    private void isWithdrawnWhereverItsAnswerIsCutShort(LockOptions.Fairness fairness, @Nullable String owner) {
        LockTerms terms = LockTerms.of(OPTIONS.withFairness(fairness));
        boolean isCut = true;
        for (int cutAt = 1; isCut; cutAt++) {
            Waiter waiter = Waiter.of(Thread.currentThread(), terms, false, true);
            machine.request(waiter);
            isCut = answer(cutAt);
            waiter.forsaken = true;
            for (int i = 0; i < 2; i++) {
                Repair.of(machine, client.engine.core.ticker.nanos(), TIMEOUT);
                while (!sent.isEmpty()) {
                    answer(NEVER_CUT);
                }
            }
            assertThat(server().owner()).as("the owner, cut at call %d", cutAt).isEqualTo(owner);
            assertThat(server().queue()).as("the queue, cut at call %d", cutAt).isEmpty();
            assertThat(cutAt).isLessThan(1_000);
        }
    }
}
