// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import java.util.List;

/**
 * A command about a latch: a count that is set once, goes down to zero, and may then be set again. Each setting begins
 * a <em>generation</em>, whose number grows.
 *
 * <p>Common parameters: {@code id} identifies a change, so that a repetition of it changes nothing. {@code notAfter} is
 * a time of the server's clock, in milliseconds since the epoch, after which the command must change nothing.
 *
 * @since 0.1.0
 */
public sealed interface LatchCommand extends Command<Reply.Latched> {

    /**
     * Returns the name of the latch.
     *
     * @return the name
     */
    String latch();

    @Override
    default List<String> locks() {
        return List.of(latch());
    }

    /**
     * Calls the visitor's method for this kind of command.
     *
     * @param visitor the visitor
     * @return the visitor's result
     * @param <T> the type of the result
     */
    <T> T accept(LatchVisitor<T> visitor);

    @Override
    default <T> T accept(CommandVisitor<T> visitor) {
        return visitor.anyLatch(this);
    }

    /**
     * Distinguishes the kinds of {@link LatchCommand}, too.
     *
     * @param <T> the type of the result
     */
    interface LatchVisitor<T> extends CommandVisitor<T> {
        @Override
        default T anyLatch(LatchCommand command) {
            return command.accept(this);
        }

        /**
         * Sets the count of a latch.
         *
         * @param command the command
         * @return the result
         */
        T setCount(SetCount command);

        /**
         * Counts a latch down.
         *
         * @param command the command
         * @return the result
         */
        T countDown(CountDown command);

        /**
         * Asks whether a latch is open.
         *
         * @param command the command
         * @return the result
         */
        T await(Await command);
    }

    /**
     * Sets the count, if it is zero or was never set.
     *
     * @param latch the name of the latch
     * @param id the id of this change
     * @param count the count, 1 or more
     * @param generation 0; or, for a change that another server may have lost, the generation that it began
     * @param before for such a change the generation that had ended when it began, 0 if there was none
     * @param notAfter after this time the command must change nothing
     */
    record SetCount(String latch, String id, int count, long generation, long before, long notAfter)
            implements LatchCommand {
        @Override
        public <T> T accept(LatchVisitor<T> visitor) {
            return visitor.setCount(this);
        }

        @Override
        public String toString() {
            return Printable.text("SetCount[latch=" + latch + ", id=" + id + ", count=" + count + ", generation="
                    + generation + ", before=" + before + ", notAfter=" + notAfter + "]");
        }
    }

    /**
     * Counts down by one, unless the count is zero, or this change has been counted in this generation.
     *
     * @param latch the name of the latch
     * @param id the id of this change
     * @param generation 0 for the current one; or, for a change that another server may have lost, the generation in
     *     which it was counted
     * @param latest the latest generation in which it may count: a generation that begins later than the call is not
     *     meant
     * @param notAfter after this time the command must change nothing
     */
    record CountDown(String latch, String id, long generation, long latest, long notAfter) implements LatchCommand {
        @Override
        public <T> T accept(LatchVisitor<T> visitor) {
            return visitor.countDown(this);
        }

        @Override
        public String toString() {
            return Printable.text("CountDown[latch=" + latch + ", id=" + id + ", generation=" + generation + ", latest="
                    + latest + ", notAfter=" + notAfter + "]");
        }
    }

    /**
     * Asks whether a latch is open, and says whether the client waits for that. When the count becomes zero, each
     * client that waits gets one {@link LatchOpened} message, and waits no longer.
     *
     * @param latch the name of the latch
     * @param client the id of the client that waits or no longer waits; empty to change nothing
     * @param generation the generation that is meant, 0 for the current or the first one
     * @param waits whether the client waits
     */
    record Await(String latch, String client, long generation, boolean waits) implements LatchCommand {
        @Override
        public <T> T accept(LatchVisitor<T> visitor) {
            return visitor.await(this);
        }

        @Override
        public String toString() {
            return Printable.text("Await[latch=" + latch + ", client=" + client + ", generation=" + generation
                    + ", waits=" + waits + "]");
        }
    }
}
