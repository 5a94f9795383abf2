// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * A latch over all clients of a backend, like {@link java.util.concurrent.CountDownLatch}: callers wait until a count,
 * which was set once, has been counted down to zero. Then it can be set again, which begins a new generation.
 *
 * <!-- snippet: ClassExamples.java#DistributedLatch -->
 * <pre>{@code
 * DistributedLatch imported = locks.latch("import:2026-11");
 * imported.trySetCount(workers.size());
 * workers.forEach(worker -> executor.accept(() -> imported.countDown(worker)));
 * return imported.await(Duration.ofMinutes(10));
 * }</pre>
 *
 * <p><b>Waiting.</b> A caller waits for the end of the generation that is current when it begins to wait, or for that
 * of the first one if the count was never set. Callers that come after the end do not wait. The server tells each
 * client that waits once, however many of its callers wait. A message that is lost delays them by at most 5 s.
 *
 * <p><b>Counting.</b> A change that gets no answer is sent again, and counts once. The same participant counts once in
 * a generation, so a job that is run again after a crash may count down again. If another server takes over and lacks
 * the changes of the last seconds, the clients that made them repeat them.
 *
 * <p><b>Forgetting.</b> If the server has lost the count for good, waiting callers get a {@link BackendException}
 * within about 15 s; they never pass as if the count had become zero. The server forgets a latch that has not been used
 * for a day. Waiting counts as use.
 *
 * <p>During an outage, methods without a time limit wait for the client's outage patience (30 s by default) and then
 * throw {@link BackendException}. After that, whether a change has taken effect is unknown. All methods throw
 * {@link ClientClosedException} if the client is closed. Thread-safe. Two latches are equal if they have the same
 * client and the same name.
 *
 * @since 0.1.0
 */
public interface DistributedLatch {

    /**
     * Returns the name of the latch.
     *
     * @return the name
     */
    String name();

    /**
     * Sets the count, unless the latch is in use: its count was set and has not become zero. Blocks for one round trip.
     * Interrupts are ignored, and the interrupt flag is kept.
     *
     * @param count how many times {@link #countDown} must be called, 1 or more
     * @return whether the count was set by this call
     * @throws IllegalArgumentException if the count is not positive
     * @throws BackendException if the backend gave no answer for the outage patience, or answered with an error that
     *     waiting cannot heal
     */
    boolean trySetCount(int count);

    /**
     * Counts down by one. Does nothing if the count is zero. Blocks for one round trip. In the 10 s after a failover, a
     * count that the new server does not know is waited for, because other clients may bring it back. Interrupts are
     * ignored, and the interrupt flag is kept.
     *
     * @throws IllegalStateException if the count was never set, or was forgotten by the server
     * @throws BackendException as for {@link #trySetCount}
     */
    void countDown();

    /**
     * Counts down by one for a participant, unless it has been counted in this generation. Otherwise like
     * {@link #countDown()}.
     *
     * @param participant the name of the participant, 1 to 1,024 bytes in UTF-8
     * @throws IllegalArgumentException if the name is empty, too long or not well-formed
     * @throws IllegalStateException as for {@link #countDown()}
     * @throws BackendException as for {@link #trySetCount}
     */
    void countDown(String participant);

    /**
     * Returns the count. Blocks for one round trip; the answer may be outdated when it arrives.
     *
     * @return the count; 0 also if it was never set
     * @throws BackendException if the backend does not answer within its command timeout
     */
    int count();

    /**
     * Waits until the count is zero.
     *
     * @throws InterruptedException if the thread is interrupted
     * @throws BackendException as for {@link #trySetCount}, or if the server has forgotten the count
     */
    void await() throws InterruptedException;

    /**
     * Waits for a limited time until the count is zero.
     *
     * @param wait the longest time to wait; zero or less means to ask once
     * @return whether the count has become zero
     * @throws InterruptedException if the thread is interrupted
     * @throws BackendException if the time has passed without any answer from the backend, or if the server has
     *     forgotten the count
     */
    boolean await(Duration wait) throws InterruptedException;

    // ================================================================ without a thread that waits

    /**
     * Sets the count like {@link #trySetCount}. Does not block.
     *
     * @param count the count, 1 or more
     * @return a stage that completes on the client's callback executor
     * @throws IllegalArgumentException if the count is not positive
     */
    CompletionStage<Boolean> trySetCountAsync(int count);

    /**
     * Counts down like {@link #countDown()}. Does not block.
     *
     * @return a stage that completes on the client's callback executor
     */
    CompletionStage<Void> countDownAsync();

    /**
     * Counts down like {@link #countDown(String)}. Does not block.
     *
     * @param participant the name of the participant
     * @return a stage that completes on the client's callback executor
     * @throws IllegalArgumentException if the name is empty, too long or not well-formed
     */
    CompletionStage<Void> countDownAsync(String participant);

    /**
     * Waits like {@link #await()} without occupying a thread. Cancelling the result, or completing it in another way,
     * ends the wait.
     *
     * @return a stage that completes on the client's callback executor
     */
    CompletionStage<Void> awaitAsync();

    /**
     * Waits like {@link #await(Duration)} without occupying a thread. Cancelling the result, or completing it in
     * another way, ends the wait.
     *
     * @param wait the longest time to wait; zero or less means to ask once
     * @return a stage that completes on the client's callback executor, with whether the count has become zero
     */
    CompletionStage<Boolean> awaitAsync(Duration wait);
}
