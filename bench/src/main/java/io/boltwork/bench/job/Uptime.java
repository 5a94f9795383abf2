// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.job;

import io.boltwork.bench.measure.MeasurementFailedException;
import io.boltwork.quorum.QuorumOptions;
import io.boltwork.redis.RedisBackend;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.Grant;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.Witness;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Tells new servers that they have been up for long, so that they vote at once. They have never had a vote to lose. */
final class Uptime implements BackendListener {
    private static final Duration LONG = QuorumOptions.defaults().longestLease().multipliedBy(2);
    private static final int SECONDS = 10;

    private final CompletableFuture<String> run = new CompletableFuture<>();

    private Uptime() {}

    static void tell(String uri) {
        Uptime uptime = new Uptime();
        LockBackend backend = RedisBackend.connect(uri);
        try {
            backend.open("bench", uptime);
            Witness witness =
                    new Witness(uptime.run.orTimeout(SECONDS, TimeUnit.SECONDS).join(), LONG.toMillis());
            CompletableFuture<Reply> reply = new CompletableFuture<>();
            backend.send(witness, reply::complete);
            if (!(reply.orTimeout(SECONDS, TimeUnit.SECONDS).join() instanceof Reply.Witnessed)) {
                throw new MeasurementFailedException("a server has not noted its uptime");
            }
        } finally {
            backend.close();
        }
    }

    @Override
    public void connected(ServerTime server) {
        run.complete(server.run());
    }

    @Override
    public void disconnected(Throwable cause) {
        run.completeExceptionally(cause);
    }

    @Override
    public void granted(Grant grant) {}
}
