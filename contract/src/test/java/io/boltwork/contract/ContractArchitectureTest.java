// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The arrows between the rooms of the test kit and of the contract, which uses it. */
@AnalyzeClasses(
        packages = {"io.boltwork.testkit", "io.boltwork.contract"},
        importOptions = ImportOption.DoNotIncludeTests.class)
class ContractArchitectureTest {

    /** The most types of a room, without its {@code package-info}. */
    private static final int MOST_TYPES = 29;

    /** The rooms from the lowest to the highest, and what lives in each. A room may use the ones before it. */
    private static final Map<String, String> ROOMS = rooms(
            "io.boltwork.testkit.wait", "conditions to wait for, bounds of time, threads",
            "io.boltwork.testkit.history", "the recorded use of locks, and its check",
            "io.boltwork.testkit.server", "servers, groups of servers and child JVMs",
            "io.boltwork.testkit.fault", "faults of processes, of Redis and of connections",
            "io.boltwork.testkit", "checks that a test leaves nothing behind",
            "io.boltwork.contract", "what the author of a backend implements or uses",
            "io.boltwork.contract.part", "the clients, threads and locks of one test",
            "io.boltwork.contract.lock", "the contract of locks",
            "io.boltwork.contract.readwrite", "the contract of read-write locks",
            "io.boltwork.contract.semaphore", "the contract of semaphores",
            "io.boltwork.contract.latch", "the contract of latches",
            "io.boltwork.contract.condition", "the contract of conditions",
            "io.boltwork.contract.multi", "the contract of multi-locks");

    private static final Map<JavaClass, Set<JavaClass>> REACHABLE = new HashMap<>();

    private static Map<String, String> rooms(String... roomsAndSentences) {
        Map<String, String> rooms = new LinkedHashMap<>();
        for (int i = 0; i < roomsAndSentences.length; i += 2) {
            rooms.put(roomsAndSentences[i], roomsAndSentences[i + 1]);
        }
        return rooms;
    }

    @ArchTest
    static void roomsUseLowerRooms(JavaClasses types) {
        List<String> order = List.copyOf(ROOMS.keySet());
        Set<String> found = new TreeSet<>();
        for (JavaClass type : types) {
            String own = type.getPackageName();
            assertThat(ROOMS).as("the room of %s", type.getName()).containsKey(own);
            for (Dependency use : type.getDirectDependenciesFromSelf()) {
                String other =
                        outermost(use.getTargetClass().getBaseComponentType()).getPackageName();
                if (order.indexOf(other) > order.indexOf(own)) {
                    found.add(String.format(
                            "%s has %s, and %s has %s. The latter is the higher room: %s",
                            own, ROOMS.get(own), other, ROOMS.get(other), use.getDescription()));
                }
            }
        }
        assertThat(found).as("uses of higher rooms").isEmpty();
    }

    @ArchTest
    static void noCycleOfTypesCrossesRooms(JavaClasses types) {
        for (JavaClass type : types) {
            JavaClass top = outermost(type);
            for (JavaClass reached : reachable(top)) {
                if (!reached.getPackageName().equals(top.getPackageName())) {
                    assertThat(reachable(reached))
                            .as("what %s uses, which %s uses", reached.getName(), top.getName())
                            .doesNotContain(top);
                }
            }
        }
    }

    @ArchTest
    static void roomsAreSmall(JavaClasses types) {
        for (String room : ROOMS.keySet()) {
            Set<String> tops = types.stream()
                    .filter(type -> type.getPackageName().equals(room))
                    .map(type -> outermost(type).getSimpleName())
                    .filter(name -> !name.equals("package-info"))
                    .collect(Collectors.toCollection(TreeSet::new));
            System.out.println(room + ": " + tops.size() + " types");
            assertThat(tops).as(room).isNotEmpty().hasSizeLessThanOrEqualTo(MOST_TYPES);
        }
    }

    private static Set<JavaClass> reachable(JavaClass from) {
        Set<JavaClass> known = REACHABLE.get(from);
        if (known == null) {
            known = new LinkedHashSet<>();
            Deque<JavaClass> next = new ArrayDeque<>(List.of(from));
            while (!next.isEmpty()) {
                for (JavaClass used : uses(next.remove())) {
                    if (known.add(used)) {
                        next.add(used);
                    }
                }
            }
            REACHABLE.put(from, known);
        }
        return known;
    }

    private static Set<JavaClass> uses(JavaClass top) {
        return Stream.concat(
                        Stream.of(top),
                        top.getPackage().getClasses().stream()
                                .filter(type -> outermost(type).equals(top)))
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .map(use -> outermost(use.getTargetClass().getBaseComponentType()))
                .filter(used -> ROOMS.containsKey(used.getPackageName()) && !used.equals(top))
                .collect(Collectors.toSet());
    }

    private static JavaClass outermost(JavaClass type) {
        return type.getEnclosingClass().map(ContractArchitectureTest::outermost).orElse(type);
    }
}
