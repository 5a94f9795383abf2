// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.state;

import io.boltwork.LockException;
import io.boltwork.machine.request.Ticker;
import io.boltwork.machine.request.Waiter;
import io.boltwork.spi.Signal;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The part of a {@link LockState} that most locks never need. */
public final class SeldomUsed {

    /**
     * A failure that is reported to all waiters that came no later than {@code until}, some of them at each event.
     *
     * @param until a time of the client's clock
     */
    public record Dismissal(LockException cause, long until) {}

    /** The waiters that are being told of a failure; {@code null} if there are none. */
    @Nullable
    public Dismissal dismissal;

    /** The waiters that wait for signals of conditions, in order of arrival. */
    public final Set<Waiter> awaiting = new LinkedHashSet<>(0);

    /** The signals that were given and not sent, at most one for each condition. */
    public final List<Signal> signals = new ArrayList<>(0);

    /** The time of the next nudge, which makes the server check the latest grant that this client has caused. */
    public long nudgeAt = Ticker.NEVER;
}
