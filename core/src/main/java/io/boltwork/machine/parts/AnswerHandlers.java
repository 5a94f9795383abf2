// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.parts;

import io.boltwork.machine.state.LockState;
import io.boltwork.spi.Command;
import io.boltwork.spi.Command.RequestCommand;
import io.boltwork.spi.Command.RequestVisitor;
import io.boltwork.spi.Reply;

/**
 * Maps each kind of command that a machine sends to the part of the machine that handles its replies. A kind that is
 * added to {@link RequestCommand} must be added here, too, or this class does not compile.
 */
public final class AnswerHandlers implements RequestVisitor<AnswerHandlers.Handler<?, ?>> {

    private static final AnswerHandlers BY_KIND = new AnswerHandlers();

    /** Applies the answer of a backend that has executed a command. */
    interface OnAnswer<C, R> {
        void accept(LockState lock, C command, long sent, R answer);
    }

    /** Retries or gives up after the failure of a command. */
    interface OnFailure<C> {
        void accept(LockState lock, C command, Reply.Failed failed);
    }

    /**
     * The two functions for the replies to one kind of command.
     *
     * @param command the kind of command
     * @param answer the kind of its answer
     * @param answered handles the answer
     * @param failed handles a failure
     */
    public record Handler<C extends RequestCommand<R>, R extends Reply.Answer>(
            Class<C> command, Class<R> answer, OnAnswer<C, R> answered, OnFailure<C> failed) {

        public void answered(LockState lock, Command<?> sentCommand, long sent, Reply reply) {
            if (!answer.isInstance(reply)) {
                throw new IllegalArgumentException(reply + " is no reply to " + sentCommand);
            }
            answered.accept(lock, command.cast(sentCommand), sent, answer.cast(reply));
        }

        public void failed(LockState lock, Command<?> sentCommand, Reply.Failed failure) {
            failed.accept(lock, command.cast(sentCommand), failure);
        }
    }

    private static final Handler<?, ?> ACQUIRE = new Handler<>(
            Command.Acquire.class,
            Reply.Acquired.class,
            (lock, acquire, sent, acquired) -> {
                lock.measured(lock.lastEvent - sent);
                Granting.acquired(lock, acquire, acquire, sent, acquired);
                Withdrawing.ownerNamed(lock, acquired.owner());
            },
            (lock, acquire, failed) -> Granting.acquireFailed(lock, acquire, acquire, failed));

    private static final Handler<?, ?> RELEASE = new Handler<>(
            Command.Release.class,
            Reply.Released.class,
            (lock, release, sent, released) -> {
                lock.measured(lock.lastEvent - sent);
                Releasing.released(lock, release, released);
                Granting.nextAnswered(lock, release, sent, released);
                Withdrawing.ownerNamed(lock, released.owner());
            },
            (lock, release, failed) -> {
                Releasing.failed(lock, release, failed);
                Granting.nextFailed(lock, release, failed);
            });

    private static final Handler<?, ?> WITHDRAW = new Handler<>(
            Command.Withdraw.class,
            Reply.Withdrawn.class,
            (lock, withdraw, sent, withdrawn) -> {
                Withdrawing.withdrawn(lock, withdraw, withdrawn);
                Withdrawing.ownerNamed(lock, withdrawn.owner());
            },
            Withdrawing::failed);

    private static final Handler<?, ?> REPLICATE = new Handler<>(
            Command.Replicate.class,
            Reply.Replicated.class,
            (lock, replicate, sent, replicated) -> {
                Granting.replicated(lock, replicate, sent, replicated);
                Withdrawing.ownerNamed(lock, replicated.owner());
            },
            Granting::replicateFailed);

    private static final Handler<?, ?> RESTORE = new Handler<>(
            Command.Restore.class,
            Reply.Restored.class,
            Renewing::restored,
            (lock, restore, failed) -> Renewing.renewalFailed(lock, restore.request(), lock.lastEvent, failed.cause()));

    private static final Handler<?, ?> RENEW = new Handler<>(
            Command.Renew.class,
            Reply.Renewed.class,
            (lock, renew, sent, renewed) ->
                    Renewing.extended(lock, renew, sent, renewed.items().get(0)),
            Renewing::extensionFailed);

    /** Returns the handler of the replies to a command. */
    public static Handler<?, ?> handlerOf(RequestCommand<?> command) {
        return command.accept(BY_KIND);
    }

    @Override
    public Handler<?, ?> acquire(Command.Acquire command) {
        return ACQUIRE;
    }

    @Override
    public Handler<?, ?> release(Command.Release command) {
        return RELEASE;
    }

    @Override
    public Handler<?, ?> withdraw(Command.Withdraw command) {
        return WITHDRAW;
    }

    @Override
    public Handler<?, ?> renew(Command.Renew command) {
        return RENEW;
    }

    @Override
    public Handler<?, ?> replicate(Command.Replicate command) {
        return REPLICATE;
    }

    @Override
    public Handler<?, ?> restore(Command.Restore command) {
        return RESTORE;
    }
}
