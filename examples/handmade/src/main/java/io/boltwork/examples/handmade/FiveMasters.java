// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import io.boltwork.testkit.fault.FaultyLink;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Five independent Redis servers, numbered from 1. */
final class FiveMasters implements AutoCloseable {
    private final TrapServers servers;
    private final List<RedisServer> masters = new ArrayList<>();
    private final List<String> argumentsOfThird;

    /** An event at a disk. */
    interface DiskFault {
        void happen() throws IOException;
    }

    private FiveMasters(TrapServers servers, List<String> argumentsOfThird) {
        this.servers = servers;
        this.argumentsOfThird = argumentsOfThird;
    }

    /** Starts five servers, the third one with further arguments. */
    static FiveMasters start(TrapServers servers, List<String> argumentsOfThird) {
        FiveMasters five = new FiveMasters(servers, argumentsOfThird);
        for (int number = 1; number <= 5; number++) {
            five.masters.add(number == 3 ? five.startThird() : RedisServer.start());
        }
        return five;
    }

    /** Starts the third server. A server that reads its disk answers other commands with an error. */
    private RedisServer startThird() {
        RedisServer third = RedisServer.start(argumentsOfThird.toArray(String[]::new));
        Await.until(
                "it has read its disk",
                () -> String.valueOf(third.command("INFO", "persistence")).contains("\nloading:0\r"));
        return third;
    }

    List<String> uris() {
        return masters.stream().map(RedisServer::uri).toList();
    }

    /** Returns a client that reaches all servers. */
    HandRedlock lock(String owner) {
        return new HandRedlock(uris().stream().map(servers::connect).toList(), TrapServers.KEY, owner);
    }

    /** Returns a client that reaches the servers 1 to 3 only. */
    HandRedlock lockOfThree(String owner) {
        List<RedisCommands<String, String>> nodes = new ArrayList<>();
        uris().subList(0, 3).forEach(uri -> nodes.add(servers.connect(uri)));
        for (FaultyLink link : linksToFourAndFive()) {
            StatefulRedisConnection<String, String> node = servers.open(link.uri());
            link.unreachable().inject();
            Await.until("it is disconnected", () -> !node.isOpen());
            nodes.add(node.sync());
        }
        return new HandRedlock(nodes, TrapServers.KEY, owner);
    }

    /** Returns links of a client that is about to lose the servers 4 and 5. */
    List<FaultyLink> linksToFourAndFive() {
        return masters.subList(3, 5).stream()
                .map(master -> servers.closing(FaultyLink.to(master)))
                .toList();
    }

    /** Restarts a server without its data. */
    void restart(int number) {
        masters.get(number - 1).restart();
    }

    /** Kills a server, and starts it again from its disk. */
    void powerOff(int number, DiskFault fault) throws IOException {
        masters.get(number - 1).kill();
        fault.happen();
        masters.get(number - 1).close();
        masters.set(number - 1, startThird());
    }

    /** Ends the leases at all servers. */
    void endLeases() {
        uris().forEach(uri -> TrapServers.endLease(servers.connect(uri)));
    }

    /** Describes the votes: an owner for each server, or a dash. */
    String votes() {
        return masters.stream()
                .map(master ->
                        String.valueOf(master.command("GET", TrapServers.KEY)).replace("null", "-"))
                .collect(Collectors.joining(" "));
    }

    /** Describes the votes of Boltwork: {@code x} for each server that has voted, or a dash. */
    String boltworkVotes() {
        return masters.stream()
                .map(master -> TrapServers.isHeldByBoltwork(master) ? "x" : "-")
                .collect(Collectors.joining(" "));
    }

    @Override
    public void close() {
        masters.forEach(RedisServer::close);
    }
}
