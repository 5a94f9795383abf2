// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.request;

import static io.boltwork.spi.PrintableLog.LOG;

import io.boltwork.LeaseLoss;
import io.boltwork.LockListener.Lost;
import java.time.Duration;
import java.util.function.Supplier;

/** Reports the losses of holds to the log and to the listeners, on any thread. */
public final class LossEvents {

    private LossEvents() {}

    /**
     * Reports a loss.
     *
     * @param hold the hold, of which the log needs the text
     * @param owner returns a description of the owner
     * @param since the time when the hold began, by the client's clock
     * @param isEnd whether the loss is the end of a fixed lease, of which the owner may need no warning
     */
    static void reportLoss(
            LockContext context, Object hold, Supplier<String> owner, long since, LeaseLoss loss, boolean isEnd) {
        if (isEnd) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "The fixed lease of the lock ''{0}'' has ended: {1}",
                    context.lock(),
                    hold);
        } else if (loss.reason() != LeaseLoss.Reason.CLOSED) {
            warn(context, hold, loss);
        }
        if (context.hasListeners()) {
            Duration held = Duration.ofNanos(context.now() - since);
            Lost event = new Lost(context.kind(), context.lock(), loss.fencingToken(), owner.get(), held, loss);
            context.notifyListeners(listener -> listener.lost(event));
        }
    }

    /** Logs a loss as a warning. */
    static void warn(LockContext context, Object hold, LeaseLoss loss) {
        LOG.log(
                System.Logger.Level.WARNING,
                "The lock ''{0}'' was lost by {1}: {2}",
                context.lock(),
                hold,
                loss.reason());
    }
}
