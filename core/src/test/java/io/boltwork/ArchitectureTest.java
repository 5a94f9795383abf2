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
import io.boltwork.rooms.Rooms;
import io.boltwork.spi.Command;
import java.time.Clock;
import java.time.Instant;
import java.util.Comparator;
import java.util.Date;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/** The allowed dependencies between the packages of core. */
@AnalyzeClasses(packages = "io.boltwork", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

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

    private static final Rooms ROOMS = Rooms.fromLowest(
                    "io.boltwork.spi",
                    "io.boltwork.spi.rules",
                    "io.boltwork",
                    "io.boltwork.fence",
                    "io.boltwork.memory",
                    "io.boltwork.store",
                    "io.boltwork.machine.request",
                    "io.boltwork.machine.state",
                    "io.boltwork.machine.parts",
                    "io.boltwork.machine",
                    "io.boltwork.machine.latch",
                    "io.boltwork.engine.client",
                    "io.boltwork.engine.drive",
                    "io.boltwork.engine.watch",
                    "io.boltwork.engine.diagnose",
                    "io.boltwork.engine",
                    "io.boltwork.engine.locks",
                    "io.boltwork.engine.locks.multi",
                    "io.boltwork.quorum")
            .except(ArchitectureTest::mayUse);

    private static boolean mayUse(Dependency use) {
        JavaClass type = use.getOriginClass();
        JavaClass used = use.getTargetClass();
        String edge = type.getPackageName() + " -> " + used.getPackageName();
        return LEAVES.contains(used.getName())
                || UPWARD.getOrDefault(edge, Set.of())
                        .contains(Rooms.outermost(type).getSimpleName());
    }

    @ArchTest
    static void roomsUseLowerRooms(JavaClasses types) {
        ROOMS.useLowerOnes(types);
    }

    @ArchTest
    static void noCycleOfTypesCrossesRooms(JavaClasses types) {
        ROOMS.shareNoCycle(types);
    }

    /**
     * By package, the most types that use one another, directly or not; 0 where none is named. They can be understood
     * only together. The commands are one sealed family, and count as one type in however many files they are.
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
        for (String room : ROOMS.packages()) {
            Set<JavaClass> tops = ROOMS.types(room, types);
            Set<String> largest = tops.stream()
                    .map(ArchitectureTest::cycle)
                    .max(Comparator.comparingInt(Set::size))
                    .orElseThrow();
            assertThat(largest).as(room).hasSizeLessThanOrEqualTo(LARGEST_CYCLES.getOrDefault(room, 0));
            System.out.println(room + ": " + tops.size() + " types, largest cycle " + largest.size() + " " + largest);
        }
    }

    private static Set<String> cycle(JavaClass top) {
        return ROOMS.cycle(top).stream()
                .map(type -> type.isAssignableTo(Command.class) ? "Command" : type.getSimpleName())
                .collect(Collectors.toCollection(TreeSet::new));
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
     * The wall clock jumps. Losses and client records have a date for people to read, and ids differ by it. Nothing
     * else may read it, except for SuspensionDetector, which is given a clock.
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
