// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.connect;

import io.boltwork.BackendException;
import io.boltwork.redis.call.ProbeCall;
import io.boltwork.redis.call.ServerConnection;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.redis.wire.Slots;
import io.boltwork.spi.Printable;
import io.netty.util.concurrent.EventExecutor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether messages of scripts arrive, once for each pair of connections to a master. A script publishes a
 * message to the client itself through the connection for commands, and it must arrive at the connection for grants.
 * Otherwise, waiting callers would be skipped, or would not learn of their grants. Belongs to the loop thread.
 */
public final class DeliveryProbe {

    /*
     * A run is the probe of one pair of connections. Its states, and the events that end them:
     *
     *   listening  The client subscribes to the channel of a slot (with sharded channels only). Confirmed: asking. A
     *              right is missing: failed. The slot has moved, or the master has no slots: undecided.
     *   asking     The script is under way. Answered with 1 or more: awaiting. Answered with 0: again, and the third
     *              time: failed. A temporary error (loading, busy, moved slot, lost connection): undecided. Any other
     *              error: failed.
     *   awaiting   The script has published, and publishes again each second. The message does not arrive within the
     *              connect timeout: failed.
     *   undecided  The owner is told. After a second: listening or asking, with another slot.
     *   passed     The answer was 1 or more, and the message has arrived. Nothing more is sent. Both are needed,
     *              because the scripts skip a caller whose message reaches 0 clients. A user without the right to run
     *              scripts passes too, because it only reads locks.
     *   failed     The owner is told the reason. After 10 s a new round begins, until one passes.
     *
     * Races, and how they are decided:
     *
     *   message <-> answer                  either may come first: the second one decides
     *   message <-> it is sent again        all scripts of a round send the same message, so any of them counts
     *   message of an earlier round         it differs, and is ignored
     *   any event <-> another pair          a run that is not the current one changes nothing
     *   0 receivers <-> the connection      the server has already noticed that the client no longer listens: three
     *   for grants breaks                   answers are needed, and by then the pair has ended
     *   the slot moves meanwhile            the script is refused, and another slot is taken
     *   failure <-> the client works        a failure of the first connection refuses it (Connections); a later one is
     *                                       only reported
     *
     * A probe that passes costs one script and, with sharded channels, one subscription and its end.
     */

    /** Subscribes to sharded channels, on the loop thread. */
    public interface Shards {
        /** For servers whose channels are never sharded. */
        Shards NONE = new Shards() {
            @Override
            public CompletionStage<OptionalInt> listen(ServerConnection grants) {
                return CompletableFuture.completedFuture(OptionalInt.empty());
            }

            @Override
            public void leave(int slot) {
                // there is no channel
            }
        };

        /**
         * Subscribes to the channel of any slot of the master.
         *
         * @param grants the connection that listens
         * @return the slot, or empty if the master has none. Fails if the server refuses
         */
        CompletionStage<OptionalInt> listen(ServerConnection grants);

        /** Ends the subscription to the channel of a slot, unless waiting callers need it. */
        void leave(int slot);
    }

    /** Receives the outcome, on the loop thread. */
    interface ProbeOwner {
        /** Called when messages of scripts arrive. */
        void passed();

        /** Called when the outcome is still open. The server is asked again. */
        void undecided();

        /** Called after each round in which messages of scripts did not arrive. */
        void failed(BackendException why);
    }

    private static final String PREFIX = "probe ";
    private static final byte[] BEGIN = PREFIX.getBytes(StandardCharsets.US_ASCII);

    private static final long AGAIN_MILLIS = 1_000;
    private static final long NOBODY_MILLIS = 100;
    private static final long NEXT_ROUND_MILLIS = 10_000;

    /**
     * The number of answers of 0 after which a round fails. By the third one, a broken connection is known to be
     * broken.
     */
    private static final int TIMES_NOBODY = 3;

    private final EventExecutor loop;
    private final KeySpace keySpace;
    private final Shards shards;
    private final ProbeOwner owner;

    /** The number of checks in a round, which lasts as long as connecting may. */
    private final long looksOfRound;

    private @Nullable Run run;
    private volatile String problem = "";

    DeliveryProbe(EventExecutor loop, KeySpace keySpace, Shards shards, Duration connectTimeout, ProbeOwner owner) {
        this.loop = loop;
        this.keySpace = keySpace;
        this.shards = shards;
        this.looksOfRound = Math.max(1, connectTimeout.toMillis() / AGAIN_MILLIS);
        this.owner = owner;
    }

    /** Begins the probe of a pair of connections. */
    void begin(String client, ServerConnection commands, ServerConnection grants) {
        Run begun = new Run(client, commands, grants);
        run = begun;
        begun.beginRound();
    }

    /** Ends the probe of the current pair. */
    void end() {
        run = null;
        problem = "";
    }

    /** Returns the problem of the current pair, or an empty text if none is known. On any thread. */
    String problem() {
        return problem;
    }

    /**
     * Returns the failure to report if the message of the current pair was published but has not arrived, else {@code
     * null}.
     */
    @Nullable
    BackendException unheard() {
        Run current = run;
        return current == null || current.receivers == 0 || current.heard ? null : current.silence();
    }

    /** Returns a handler that consumes the messages of the probe and passes all others on to another handler. */
    Connector.MessageHandler before(Connector.MessageHandler handler) {
        return new Connector.MessageHandler() {
            @Override
            public void message(ServerConnection from, byte[] body) {
                if (isProbe(body)) {
                    onLoop(() -> heard(from, new String(body, StandardCharsets.UTF_8)));
                } else {
                    handler.message(from, body);
                }
            }

            @Override
            public void told(ServerConnection from, byte[] body) {
                handler.told(from, body);
            }

            @Override
            public void freed(ServerConnection from, String lock) {
                handler.freed(from, lock);
            }

            @Override
            public void unsubscribed(ServerConnection from, String channel) {
                handler.unsubscribed(from, channel);
            }
        };
    }

    private static boolean isProbe(byte[] body) {
        if (body.length < BEGIN.length) {
            return false;
        }
        for (int i = 0; i < BEGIN.length; i++) {
            if (body[i] != BEGIN[i]) {
                return false;
            }
        }
        return true;
    }

    private void heard(ServerConnection from, String message) {
        Run current = run;
        if (current != null && current.grants == from && current.message.equals(message)) {
            current.heard = true;
            current.passIfBoth();
        }
    }

    private void onLoop(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            // the application has shut its threads down
        }
    }

    private final class Run {
        final String client;
        final ServerConnection commands;
        final ServerConnection grants;
        String message = "";

        /** The number of clients to which the server has sent the message, in total. */
        long receivers;

        /** True if the message has arrived. */
        boolean heard;

        /** The slot whose channel the client listens on, if channels are sharded. */
        private OptionalInt where = OptionalInt.empty();

        private int timesNobody;
        private int looks;
        private boolean asking;
        private boolean over;

        Run(String client, ServerConnection commands, ServerConnection grants) {
            this.client = client;
            this.commands = commands;
            this.grants = grants;
        }

        void beginRound() {
            message = PREFIX + Long.toHexString(ThreadLocalRandom.current().nextLong());
            receivers = 0;
            heard = false;
            timesNobody = 0;
            looks = 0;
            over = false;
            listen();
            lookLater();
        }

        private boolean isUnderWay() {
            return run == this && !over;
        }

        private void listen() {
            asking = true;
            leave();
            CompletionStage<OptionalInt> listens =
                    grants.isSharded() ? shards.listen(grants) : CompletableFuture.completedFuture(OptionalInt.empty());
            listens.whenComplete((slot, failure) -> onLoop(() -> {
                if (!isUnderWay()) {
                    return;
                }
                if (failure != null) {
                    cannotListen(ProbeCall.deaf(commands.errors(), failure));
                } else if (grants.isSharded() && slot.isEmpty()) {
                    undecided();
                } else {
                    where = slot;
                    ask(slot, null);
                }
            }));
        }

        private void cannotListen(BackendException why) {
            if (why.isRetryable()) {
                undecided();
            } else {
                ask(OptionalInt.empty(), why); // a user that may run no scripts need not listen either
            }
        }

        private void ask(OptionalInt slot, @Nullable BackendException deaf) {
            String channel = slot.isPresent() ? keySpace.channel(client, slot.getAsInt()) : keySpace.channel(client);
            String key = slot.isPresent() ? keySpace.key(Slots.tag(slot.getAsInt())) : null;
            ProbeCall call = new ProbeCall(commands, key, channel, message);
            call.receivers.whenComplete((told, failure) -> onLoop(() -> {
                if (!isUnderWay()) {
                    return;
                }
                if (told != null && told == ProbeCall.NO_SCRIPTS) {
                    pass();
                } else if (deaf != null) {
                    fail(deaf);
                } else if (failure != null) {
                    refused(failure);
                } else if (told > 0) {
                    receivers += told;
                    asking = false;
                    passIfBoth();
                } else if (++timesNobody < TIMES_NOBODY) {
                    loop.schedule(this::listenAgain, NOBODY_MILLIS, TimeUnit.MILLISECONDS);
                } else {
                    fail(commands.errors()
                            .undelivered("a script's message reached no client, though this client listens on '"
                                    + Printable.text(channel) + "' (PUBLISH answered 0)"));
                }
            }));
            commands.send(call);
        }

        private void leave() {
            where.ifPresent(shards::leave);
            where = OptionalInt.empty();
        }

        private void listenAgain() {
            if (isUnderWay()) {
                listen();
            }
        }

        /** Fails the probe after a refusal that a retry cannot change. Otherwise, the outcome stays open. */
        private void refused(Throwable failure) {
            if (failure instanceof BackendException why && !why.isRetryable()) {
                fail(why);
            } else {
                undecided();
            }
        }

        private void undecided() {
            asking = false;
            owner.undecided();
        }

        private void lookLater() {
            loop.schedule(this::look, AGAIN_MILLIS, TimeUnit.MILLISECONDS);
        }

        /**
         * Counts checks instead of reading a clock, because messages wait in the sockets while this process is
         * suspended.
         */
        private void look() {
            if (!isUnderWay()) {
                return;
            }
            if (receivers > 0 && ++looks >= looksOfRound) {
                fail(silence());
                return;
            }
            if (!asking) {
                listen();
            }
            lookLater();
        }

        BackendException silence() {
            return commands.errors()
                    .undelivered("a script's message did not arrive within " + looksOfRound * AGAIN_MILLIS
                            + " ms, though the server reports that it was sent to a client");
        }

        void passIfBoth() {
            if (heard && receivers > 0 && !over) {
                pass();
            }
        }

        private void pass() {
            over = true;
            problem = "";
            leave();
            owner.passed();
        }

        private void fail(BackendException why) {
            over = true;
            problem = String.valueOf(why.getMessage());
            leave();
            loop.schedule(
                    () -> {
                        if (run == this) {
                            beginRound();
                        }
                    },
                    NEXT_ROUND_MILLIS,
                    TimeUnit.MILLISECONDS);
            owner.failed(why);
        }
    }
}
