// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.LockKind;
import io.boltwork.spi.Command;
import io.boltwork.spi.HeldShare;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Share;
import java.util.List;

/** An {@link EngineScene} with one shared lock, which clients elsewhere want, too. */
abstract class SharedScene extends EngineScene {

    /** The lease of a client elsewhere, in milliseconds: longer than any test. */
    private static final long LONG = 600_000;

    static final String NAME = "shared";

    /** A request that no test uses otherwise. */
    private static final String TRIED = "other:999";

    private final LockKind kind;

    SharedScene(LockKind kind) {
        this.kind = kind;
    }

    /** Asks as a client that is not here, and waits if it must. */
    void askElsewhere(String request, Share share) {
        askElsewhere(request, share, true);
    }

    /** Returns whether a client that is not here could have a part now. It does not keep it. */
    boolean isFreeElsewhere(Share share) {
        boolean free = askElsewhere(TRIED, share, false).verdict() == Reply.Verdict.GRANTED;
        endElsewhere(TRIED, share);
        return free;
    }

    private Reply.Acquired askElsewhere(String request, Share share, boolean waits) {
        return client.server.execute(new Command.Acquire(NAME, request, waits, LONG, 0, Long.MAX_VALUE, share));
    }

    /** Ends the request of a client that is not here. */
    void endElsewhere(String request, Share share) {
        client.server.execute(new Command.Withdraw(NAME, request, 0, new HeldShare(share, 0, 0)));
    }

    QueryReply.Inspected record() {
        return client.server.execute(new Query.Inspect(NAME, kind));
    }

    int queued() {
        return record().queue().size();
    }

    /** Returns the weights of the holds at the server. */
    List<Integer> held() {
        return record().holders().stream()
                .map(QueryReply.Inspected.Holder::permits)
                .toList();
    }
}
