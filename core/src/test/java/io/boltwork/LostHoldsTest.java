package io.boltwork;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LostHoldsTest {

    private static final long LOOK = TimeUnit.SECONDS.toNanos(30);

    private final LostHolds lost = new LostHolds();
    private final Thread me = Thread.currentThread();

    private static Hold hold(Waiter waiter) {
        Request request = Request.of("lock", "c:1", waiter, 0);
        request.begin(1_000, 7, true, 0, 0);
        request.occupied(0);
        return new Hold(request, 7, waiter, 0, () -> 0, new CallbackQueue(Runnable::run, new Listeners()));
    }

    private static Hold mine() {
        return hold(Waiter.ofThread(LockOptions.defaults(), false, false));
    }

    /** Of a thread that has ended. */
    private static Hold forsaken() throws InterruptedException {
        Hold[] hold = new Hold[1];
        Thread thread = new Thread(() -> hold[0] = mine());
        thread.start();
        thread.join();
        return hold[0];
    }

    @Test
    void areFoundByTheirThreadUntilItUnwinds() throws InterruptedException {
        Hold first = mine();
        Hold other = forsaken();
        lost.add(other, 0);
        lost.add(first, 0);
        assertThat(lost.of(me)).isSameAs(first);
        assertThat(lost.of(other.asker)).isSameAs(other);
        first.leave(false);
        assertThat(lost.of(me)).as("it has unwound").isNull();
        lost.remove(first);
        lost.remove(first);
        assertThat(lost.of(other.asker)).isSameAs(other);
        lost.clear();
        assertThat(lost.isEmpty()).isTrue();
    }

    @Test
    void thoseThatNobodyLooksForAreNotKept() {
        Hold over = mine();
        over.leave(false);
        lost.add(over, 0);
        lost.add(hold(Waiter.ofHandle(LockOptions.defaults(), false)), 0);
        assertThat(lost.isEmpty()).isTrue();
        assertThat(lost.wakeAt()).isEqualTo(Ticker.NEVER);
    }

    @Test
    void areForgottenWhenTheirThreadsHaveEnded() throws InterruptedException {
        Hold living = mine();
        Hold unwound = mine();
        lost.add(forsaken(), 5);
        lost.add(living, 9);
        lost.add(unwound, 9);
        unwound.leave(false);
        assertThat(lost.wakeAt()).isEqualTo(LOOK + 5);
        lost.tick(LOOK + 4);
        assertThat(lost.wakeAt()).as("too early").isEqualTo(LOOK + 5);
        lost.tick(LOOK + 5);
        assertThat(lost.of(me)).isSameAs(living);
        assertThat(lost.wakeAt()).isEqualTo(2 * LOOK + 5);
        lost.remove(living);
        assertThat(lost.isEmpty()).as("the others are forgotten").isTrue();
    }
}
