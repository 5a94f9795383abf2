// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.boltwork.spi.Command;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Date;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The allowed dependencies between the packages of core. */
@AnalyzeClasses(packages = "io.boltwork", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    /** The rooms from the lowest to the highest, and what lives in each. A room may use the ones before it. */
    private static final Map<String, String> ROOMS = rooms(
            "io.boltwork.spi", "what a client and a backend say to each other, as values",
            "io.boltwork.spi.rules", "the rules of the protocol, without a store or a clock",
            "io.boltwork", "what users import",
            "io.boltwork.fence", "guards at a resource, which need a token only",
            "io.boltwork.memory", "a backend whose clock and faults belong to the test",
            "io.boltwork.store", "the rules on records with a version",
            "io.boltwork.machine.request", "what a machine is made of: requests, waiters, holds, times",
            "io.boltwork.machine.state", "the state of one lock, and the effects that a machine asks for",
            "io.boltwork.machine.parts", "one class for each state of a request",
            "io.boltwork.machine", "the machine of a lock, which passes events to the parts",
            "io.boltwork.machine.latch", "the machine of a latch",
            "io.boltwork.engine.client",
                    "what all parts of a client's engine share: threads, clock, listeners, identity",
            "io.boltwork.engine.drive", "mailboxes and drivers, which run machines; renewals",
            "io.boltwork.engine.watch", "what concerns the whole backend: outages, announcements, repeated releases",
            "io.boltwork.engine.diagnose", "deadlocks, long holds and long waits, which are only read",
            "io.boltwork.engine", "the engine of a client, which makes its parts and ends them; where threads block",
            "io.boltwork.engine.locks", "the objects that users have in their hands",
            "io.boltwork.engine.locks.multi", "several locks as one",
            "io.boltwork.quorum", "one backend made of several");

    private static Map<String, String> rooms(String... roomsAndSentences) {
        Map<String, String> rooms = new LinkedHashMap<>();
        for (int i = 0; i < roomsAndSentences.length; i += 2) {
            rooms.put(roomsAndSentences[i], roomsAndSentences[i + 1]);
        }
        return rooms;
    }

    /** The types that use a higher package. Backends throw the API's exceptions, and a client creates its engine. */
    private static final Map<String, Set<String>> UPWARD = Map.of(
            "io.boltwork.spi -> io.boltwork", Set.of("Reply", "LockBackend"),
            "io.boltwork -> io.boltwork.engine", Set.of("LockClient", "LockInspector"),
            "io.boltwork -> io.boltwork.engine.locks", Set.of("LockClient"),
            "io.boltwork -> io.boltwork.engine.locks.multi", Set.of("LockClient"));

    @ArchTest
    static final ArchRule CORE_NEEDS_ONLY_THE_JDK = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("java..", "org.jspecify.annotations", "io.boltwork..");

    /** Types of the API that use no other type, and that all rooms may use. */
    private static final Set<String> LEAVES = Set.of("io.boltwork.LockKind");

    @ArchTest
    static void roomsUseLowerRooms(JavaClasses types) {
        List<String> order = List.copyOf(ROOMS.keySet());
        Set<String> found = new TreeSet<>();
        for (JavaClass type : types) {
            int room = order.indexOf(type.getPackageName());
            assertThat(room).as("the package of %s", type.getName()).isNotNegative();
            for (Dependency use : type.getDirectDependenciesFromSelf()) {
                String other = use.getTargetClass().getPackageName();
                if (order.indexOf(other) > room
                        && !LEAVES.contains(use.getTargetClass().getName())) {
                    String edge = type.getPackageName() + " -> " + other;
                    if (!UPWARD.getOrDefault(edge, Set.of())
                            .contains(outermost(type).getSimpleName())) {
                        found.add(String.format(
                                "%s has %s, and %s has %s. The latter is the higher room: %s",
                                type.getPackageName(),
                                ROOMS.get(type.getPackageName()),
                                other,
                                ROOMS.get(other),
                                use.getDescription()));
                    }
                }
            }
        }
        assertThat(found).as("uses of higher packages").isEmpty();
    }

    @ArchTest
    static void noCycleOfTypesCrossesRooms(JavaClasses types) {
        for (JavaClass type : types) {
            JavaClass top = outermost(type);
            for (JavaClass reached : reachable(top)) {
                if (!reached.getPackageName().equals(top.getPackageName())) {
                    assertThat(reachable(reached))
                            .as("types that %s uses, which %s uses", reached.getName(), top.getName())
                            .doesNotContain(top);
                }
            }
        }
    }

    /**
     * By package, the most types that use one another, directly or not; 0 where none is named. They can be understood only together. The commands are
     * one sealed family, and count as one type in however many files they are.
     */
    private static final Map<String, Integer> LARGEST_CYCLES = Map.of(
            "io.boltwork.spi", 3, // the commands, their executor and their visitor
            "io.boltwork", 2,
            "io.boltwork.machine.request", 5,
            "io.boltwork.machine.state", 2,
            "io.boltwork.machine.parts", 5,
            "io.boltwork.engine.drive", 3,
            "io.boltwork.engine.locks", 3,
            "io.boltwork.quorum", 2);

    @ArchTest
    static void cyclesOfTypesAreSmall(JavaClasses types) {
        for (String room : ROOMS.keySet()) {
            Map<String, Set<String>> cycles = new TreeMap<>();
            Set<JavaClass> tops = types.stream()
                    .filter(type -> type.getPackageName().equals(room))
                    .map(ArchitectureTest::outermost)
                    .collect(Collectors.toSet());
            for (JavaClass top : tops) {
                cycles.put(top.getSimpleName(), cycle(top));
            }
            Set<String> largest = cycles.values().stream()
                    .max(Comparator.comparingInt(Set::size))
                    .orElseThrow();
            assertThat(largest).as(room).hasSizeLessThanOrEqualTo(LARGEST_CYCLES.getOrDefault(room, 0));
            System.out.println(room + ": " + tops.size() + " types, largest cycle " + largest.size() + " " + largest);
        }
    }

    private static Set<String> cycle(JavaClass top) {
        return reachable(top).stream()
                .filter(other -> reachable(other).contains(top))
                .map(type -> type.isAssignableTo(Command.class) ? "Command" : type.getSimpleName())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static final Map<JavaClass, Set<JavaClass>> REACHABLE = new HashMap<>();

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
                        top.getPackage().getClassesInPackageTree().stream()
                                .filter(type -> outermost(type).equals(top)))
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .map(use -> outermost(use.getTargetClass().getBaseComponentType()))
                .filter(used -> used.getPackageName().startsWith("io.boltwork") && !used.equals(top))
                .collect(Collectors.toSet());
    }

    private static JavaClass outermost(JavaClass type) {
        return type.getEnclosingClass().map(ArchitectureTest::outermost).orElse(type);
    }

    @ArchTest
    static final ArchRule NOTHING_IS_SYNCHRONIZED = classes().should(notBeSynchronized());

    @ArchTest
    static final ArchRule MACHINE_AND_RULES_HAVE_NO_CLOCK_AND_NO_THREADS = noClasses()
            .that()
            .resideInAnyPackage("io.boltwork.machine..", "io.boltwork.spi.rules")
            .should()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(Thread.class, "start");

    /**
     * The wall clock jumps. Losses and client records have a date for people to read, and ids differ by it. Nothing else may
     * read it, except for SuspensionDetector, which is given a clock.
     */
    @ArchTest
    static final ArchRule THE_WALL_CLOCK_IS_FOR_DISPLAY = noClasses()
            .that(DescribedPredicate.not(DescribedPredicate.describe(
                    "date a loss, introduce a client or make it unique, or wait until a date",
                    type -> Set.of("Hold", "Announcer", "UniqueIds", "EngineCondition")
                            .contains(type.getSimpleName()))))
            .should()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(Instant.class, "now")
            .orShould()
            .callMethod(LockSupport.class, "parkUntil", long.class)
            .orShould()
            .callMethod(LockSupport.class, "parkUntil", Object.class, long.class)
            .orShould()
            .dependOnClassesThat()
            .belongToAnyOf(Clock.class, Date.class);

    private static ArchCondition<JavaClass> notBeSynchronized() {
        return new ArchCondition<>("have no synchronized methods (virtual threads pin in them)") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                type.getMethods().stream()
                        .filter(method -> method.getModifiers().contains(JavaModifier.SYNCHRONIZED))
                        .forEach(method -> events.add(
                                SimpleConditionEvent.violated(method, method.getFullName() + " is synchronized")));
            }
        };
    }
}
