// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;

/** Checks {@link Property#RESTORED_ALONE}. */
final class RestoredAloneCheck extends SimulationCheck {

    RestoredAloneCheck(SimulationHistory history) {
        super(Property.RESTORED_ALONE, history);
    }

    @Override
    void executed(Command<?> command, Reply reply) {
        if (command instanceof Command.Restore restore
                && reply instanceof Reply.Restored restored
                && restored.outcome().isHeld()) {
            restored(restore);
        }
    }

    private void restored(Command.Restore restore) {
        ObservedLock lock = history.lock(restore.lock());
        ObservedHold newest = lock.newest;
        if (newest == null || newest.hold.request.id().equals(restore.request())) {
            return;
        }
        long began = lock.grantedAt(restore.request(), restore.firstToken());
        require(
                newest.hold.token < restore.firstToken()
                        || lock.data.losses(began, time.now()) > 1
                        || lock.data.hasGoneBack()
                        || lock.data.wasLostAhead(newest.hold.token, newest.grantedAt)
                        || history.isForced(newest)
                        || history.isForced(restore.request()),
                () -> restore + " was executed although " + newest + " has held the lock since");
    }
}
