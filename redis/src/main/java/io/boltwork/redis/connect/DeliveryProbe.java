package io.boltwork.redis.connect;

import io.boltwork.BackendException;
import io.boltwork.redis.address.RedisAddress;
import io.boltwork.redis.call.ProbeCall;
import io.boltwork.redis.call.ServerConnection;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.redis.wire.Slots;
import io.boltwork.spi.Printable;
import io.netty.util.concurrent.EventExecutor;
import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether what scripts publish arrives, once for each pair of connections to a master: a script publishes to the client
 * itself, through the connection for commands, and the connection for grants must hear it. Where it does not, callers that wait for
 * a lock are passed over, or are granted it and are not told. Belongs to the clerk's thread.
 */
public final class DeliveryProbe {

    /*
     * A run is one pair of connections. Its states, and what ends them:
     *
     *   listening  the client is about to listen on the channel of some slot (sharded channels only). Confirmed: asking. A
     *              right is missing: failed. The slot has moved, or the master has no slots: undecided.
     *   asking     the script is under way. Answered with 1 or more: awaiting. Answered with 0: again; the third time: failed. An error
     *              that passes (loading, busy, the slot has moved, the connection is lost): undecided. Any other: failed.
     *   awaiting   the script has published, and each second it does so again. Not heard after 5 s: failed.
     *   undecided  the owner is told. After a second: listening or asking, with another slot.
     *   passed     1 or more, and the message was heard, in whatever state. Nothing more is sent. Both are needed: the scripts pass over
     *              a caller whose message reaches 0 clients. A user that may run no scripts passes as well: it only looks at locks.
     *   failed     the owner is told why. After 10 s everything begins anew, until it passes.
     *
     * Races, and what decides them:
     *
     *   message <-> answer                 either may come first: the second one decides
     *   message <-> it is sent again       all scripts of a round send the same message, so any of them counts
     *   message of an earlier round        it is another message, and is ignored
     *   anything <-> another pair          a run that is not the current one any more changes nothing
     *   0 receivers <-> the connection     the server knows already that the client does not listen any more: three answers are
     *   for grants breaks                  needed, and by then the pair is no more
     *   the slot moves meanwhile           the script is refused, and another slot is taken
     *   fails <-> the client works         what fails at the first connection refuses it (Connections); later it is told only
     *
     * A probe that passes costs one script, and a subscription and its end where channels are sharded.
     */

    /** Listens where channels are sharded, on the clerk's thread. */
    public interface Shards {
        /** Where channels are never sharded. */
        Shards NONE = new Shards() {
            @Override
            public CompletionStage<OptionalInt> listen(ServerConnection grants) {
                return CompletableFuture.completedFuture(OptionalInt.empty());
            }

            @Override
            public void leave(int slot) {
                // there is none
            }
        };

        /**
         * Listens on the channel of some slot of the master.
         *
         * @param grants the connection that listens
         * @return the slot; empty if the master has none. Fails if the server refuses
         */
        CompletionStage<OptionalInt> listen(ServerConnection grants);

        /** Does not listen on the channel of that slot any more, unless callers that wait need it. */
        void leave(int slot);
    }

    /** Hears of the outcome, on the clerk's thread. */
    interface Owner {
        /** Messages of scripts arrive. */
        void passed();

        /** The server cannot tell yet; it is asked again. */
        void undecided();

        /** Messages of scripts do not arrive. Called after each round that has failed. */
        void failed(BackendException why);
    }

    private static final String PREFIX = "probe ";
    private static final byte[] BEGIN = PREFIX.getBytes(StandardCharsets.US_ASCII);

    /** The longest time of a round: as long as a connection may take to be made. */
    private static final long ROUND_MILLIS = RedisAddress.CONNECT_TIMEOUT.toMillis();

    private static final long AGAIN_MILLIS = 1_000;
    private static final long LOOKS = ROUND_MILLIS / AGAIN_MILLIS;
    private static final long NOBODY_MILLIS = 100;
    private static final long NEXT_ROUND_MILLIS = 10_000;

    /** Answers of 0 that fail a round: by the third one, a connection that has broken is known to have. */
    private static final int TIMES_NOBODY = 3;

    private final EventExecutor loop;
    private final KeySpace keySpace;
    private final Shards shards;
    private final Owner owner;

    private @Nullable Run run;
    private volatile String problem = "";

    DeliveryProbe(EventExecutor loop, KeySpace keySpace, Shards shards, Owner owner) {
        this.loop = loop;
        this.keySpace = keySpace;
        this.shards = shards;
        this.owner = owner;
    }

    /** Begins to find out about a pair of connections. */
    void begin(String client, ServerConnection commands, ServerConnection grants) {
        Run begun = new Run(client, commands, grants);
        run = begun;
        begun.beginRound();
    }

    /** The pair is no more. */
    void end() {
        run = null;
        problem = "";
    }

    /** Returns what is wrong with the current pair, empty if nothing is known to be. Any thread. */
    String problem() {
        return problem;
    }

    /** Returns what it means if the message of the current pair never comes; {@code null} if none has been published. */
    @Nullable
    BackendException unheard() {
        Run current = run;
        return current == null || current.receivers == 0 || current.heard ? null : current.silence();
    }

    /** Returns an ear that keeps the probe's messages to itself. */
    Connector.Ear before(Connector.Ear ear) {
        return new Connector.Ear() {
            @Override
            public void message(ServerConnection from, byte[] body) {
                if (isProbe(body)) {
                    onClerk(() -> heard(from, new String(body, StandardCharsets.UTF_8)));
                } else {
                    ear.message(from, body);
                }
            }

            @Override
            public void taken(ServerConnection from, byte[] body) {
                ear.taken(from, body);
            }

            @Override
            public void unsubscribed(ServerConnection from, String channel) {
                ear.unsubscribed(from, channel);
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

    private void onClerk(Runnable task) {
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

        /** To how many clients the server has sent the message, summed up. */
        long receivers;

        /** The message has arrived. */
        boolean heard;

        /** Where the client listens for the message, if channels are sharded. */
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
            listens.whenComplete((slot, failure) -> onClerk(() -> {
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
            call.receivers.whenComplete((told, failure) -> onClerk(() -> {
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

        /** The server has refused, or the connection is lost. */
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

        /** By the number of looks, and not by a clock: while this process stands still, messages wait in its sockets. */
        private void look() {
            if (!isUnderWay()) {
                return;
            }
            if (receivers > 0 && ++looks >= LOOKS) {
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
                    .undelivered("a script's message did not arrive within " + ROUND_MILLIS
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
