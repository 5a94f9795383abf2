// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.connect;

import io.boltwork.BackendException;
import io.boltwork.redis.address.Errors;
import io.boltwork.redis.address.RedisAddress;
import io.boltwork.redis.address.RedisDeployment;
import io.boltwork.redis.connect.Poll.PollResult;
import io.boltwork.spi.NodeStatus;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.MapOutput;
import io.lettuce.core.output.ValueListOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.util.concurrent.EventExecutor;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Asks sentinels for the master.
 *
 * <p>They may disagree for a while: one that was cut off or frozen still names the old master. Each failover has a
 * larger number than those before ({@code config-epoch}), so the answer with the largest number counts. A number
 * smaller than an earlier one counts only if it is the largest among the answers of more than half of the sentinels. In
 * that case, the sentinels have been set up anew.
 */
final class SentinelFinder implements MasterFinder {

    /** The answer of one sentinel. */
    record View(String host, int port, long epoch) {
        /** The answer of a sentinel that does not know the master. */
        static final View UNKNOWN = new View("", 0, -1);
    }

    private final RedisDeployment deployment;
    private final EventExecutor loop;
    private final List<PolledServer<View>> sentinels;
    private final Poll<View> poll;

    /** The newest view so far. Belongs to the loop thread. */
    private @Nullable View newest;

    SentinelFinder(
            RedisDeployment deployment,
            EventExecutor loop,
            Function<RedisAddress, CompletionStage<StatefulRedisConnection<String, String>>> connect) {
        this.deployment = deployment;
        this.loop = loop;
        this.poll = new Poll<>(loop);
        this.sentinels = deployment.members().stream()
                .map(address -> new PolledServer<>(
                        address, Errors.ofSentinel(address), connect, (where, lettuce) -> ask(lettuce)))
                .toList();
    }

    private CompletionStage<View> ask(StatefulRedisConnection<String, String> lettuce) {
        CompletionStage<List<String>> address = lettuce.async()
                .dispatch(
                        CommandType.SENTINEL,
                        new ValueListOutput<>(StringCodec.UTF8),
                        arguments("get-master-addr-by-name"));
        CompletionStage<Map<String, String>> state = lettuce.async()
                .dispatch(CommandType.SENTINEL, new MapOutput<>(StringCodec.UTF8), arguments("master"))
                .exceptionally(
                        failure -> { // an unknown name is an error of this command
                            if (Errors.isUnknownMaster(failure)) {
                                return Map.of();
                            }
                            throw new CompletionException(failure);
                        });
        return address.thenCombine(state, SentinelFinder::view);
    }

    private CommandArgs<String, String> arguments(String subcommand) {
        return new CommandArgs<>(StringCodec.UTF8).add(subcommand).add(deployment.master());
    }

    private static View view(List<String> address, Map<String, String> state) {
        return address.size() < 2 || address.get(0) == null
                ? View.UNKNOWN
                : new View(
                        address.get(0),
                        Integer.parseInt(address.get(1)),
                        Long.parseLong(state.getOrDefault("config-epoch", "0")));
    }

    @Override
    public CompletableFuture<RedisAddress> find(long millis) {
        return poll.ask(() -> sentinels, millis).thenApply(this::chosen);
    }

    private RedisAddress chosen(PollResult<View> heard) {
        List<View> known =
                heard.answers().stream().filter(view -> view.epoch() >= 0).toList();
        View view = choose(known, newest, sentinels.size());
        if (view == null) {
            throw noMaster(heard);
        }
        newest = view;
        return deployment.node().at(view.host(), view.port());
    }

    /** Returns the view that counts, or {@code null} if there is none. */
    static @Nullable View choose(List<View> views, @Nullable View before, int sentinels) {
        View best = views.stream().max(Comparator.comparingLong(View::epoch)).orElse(null);
        if (best == null || before == null || best.epoch() >= before.epoch()) {
            return best;
        }
        return views.size() > sentinels / 2 ? best : before;
    }

    private BackendException noMaster(PollResult<View> heard) {
        if (!heard.answers().isEmpty()) {
            return new BackendException(
                    "Cannot find " + deployment.describe() + ": the sentinels know no master with the name '"
                            + deployment.master() + "'; the part of the URI after # must be the name in their 'sentinel"
                            + " monitor'",
                    false,
                    null);
        }
        return Errors.none("Cannot find " + deployment.describe() + ": no sentinel answered", heard.failures());
    }

    @Override
    public List<CompletableFuture<NodeStatus>> probe(String but, long millis) {
        return sentinels.stream().map(sentinel -> sentinel.probe(loop, millis)).toList();
    }

    @Override
    public boolean mayMove() {
        return true;
    }
}
