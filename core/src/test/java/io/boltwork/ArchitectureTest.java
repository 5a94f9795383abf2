// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.boltwork.rooms.Rooms;
import io.boltwork.spi.Command;
import java.util.Map;
import java.util.Set;

/** The allowed dependencies between the packages of core. */
@AnalyzeClasses(packages = "io.boltwork", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    /** The types that use a higher package. Backends throw the API's exceptions, and a client creates its engine. */
    private static final Map<String, Set<String>> UPWARD = Map.of(
            "io.boltwork.spi -> io.boltwork", Set.of("Reply", "LockBackend"),
            "io.boltwork -> io.boltwork.engine", Set.of("LockClient", "LockInspector", "LeaderCandidate"),
            "io.boltwork -> io.boltwork.engine.locks", Set.of("LockClient", "LeaderCandidate"),
            "io.boltwork -> io.boltwork.engine.client", Set.of("LeaderCandidate"),
            "io.boltwork -> io.boltwork.machine.request", Set.of("LeaderCandidate"),
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
                    "io.boltwork.machine.request",
                    "io.boltwork.machine.state",
                    "io.boltwork.machine.parts",
                    "io.boltwork.machine.kind",
                    "io.boltwork.machine",
                    "io.boltwork.machine.latch",
                    "io.boltwork.engine.client",
                    "io.boltwork.engine.drive",
                    "io.boltwork.engine.watch",
                    "io.boltwork.engine.diagnose",
                    "io.boltwork.engine",
                    "io.boltwork.engine.locks",
                    "io.boltwork.engine.locks.multi")
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
     * The largest number of types that use one another, directly or not, by package; 0 for other packages. Such types
     * can be understood only together. The commands are one sealed family, and count as one type in however many files
     * they are.
     */
    private static final Map<String, Integer> LARGEST_CYCLES = Map.of(
            "io.boltwork.spi", 2, // the commands and their visitor
            "io.boltwork", 2,
            "io.boltwork.machine.request", 5,
            "io.boltwork.machine.state", 2,
            "io.boltwork.machine.parts", 5,
            "io.boltwork.machine.kind", 2, // a shared lock and its lines
            "io.boltwork.engine.drive", 3,
            "io.boltwork.engine.locks", 3);

    @ArchTest
    static void cyclesOfTypesAreSmall(JavaClasses types) {
        ROOMS.haveSmallCycles(
                LARGEST_CYCLES, type -> type.isAssignableTo(Command.class) ? "Command" : type.getSimpleName(), types);
    }

    @ArchTest
    static final ArchRule NOTHING_IS_SYNCHRONIZED = Architecture.NOTHING_IS_SYNCHRONIZED;

    @ArchTest
    static final ArchRule THE_WALL_CLOCK_IS_FOR_DISPLAY = Architecture.THE_WALL_CLOCK_IS_FOR_DISPLAY;

    @ArchTest
    static final ArchRule COMMANDS_GET_THEIR_ANSWERS = Architecture.COMMANDS_GET_THEIR_ANSWERS;

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
}
