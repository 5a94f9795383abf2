// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Plays each trap once for all tests of this JVM. The servers end with the JVM. */
final class PlayedTraps {
    private static final TrapServers SERVERS = new TrapServers();
    private static final Map<String, TrapReport> REPORTS = new ConcurrentHashMap<>();

    private PlayedTraps() {}

    static TrapReport play(String name) {
        return REPORTS.computeIfAbsent(name, PlayedTraps::playOnce);
    }

    /** Returns the states after the steps. */
    static List<String> states(String name) {
        return play(name).steps().stream().map(TrapStep::state).toList();
    }

    /** Returns the texts of the steps. */
    static List<String> texts(String name) {
        return play(name).steps().stream().map(TrapStep::text).toList();
    }

    static List<Trap> all() {
        return HandmadeStage.ALL.stream()
                .flatMap(stage -> stage.traps().stream())
                .toList();
    }

    private static TrapReport playOnce(String name) {
        Trap trap = all().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
        try {
            return trap.play(SERVERS);
        } catch (Exception e) {
            throw new AssertionError("Trap " + name, e);
        }
    }
}
