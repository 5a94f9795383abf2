// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import io.boltwork.rooms.Rooms;

/** The rooms of this module. */
@AnalyzeClasses(
        packages = "io.boltwork.bench",
        importOptions = {ImportOption.DoNotIncludeTests.class, BenchArchitectureTest.WrittenByHand.class})
class BenchArchitectureTest {

    /** Leaves out the classes that JMH generates. */
    static final class WrittenByHand implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return !location.contains("/jmh_generated/");
        }
    }

    private static final Rooms ROOMS = Rooms.fromLowest(
            "io.boltwork.bench.measure",
            "io.boltwork.bench.contender",
            "io.boltwork.bench.contender.own",
            "io.boltwork.bench.contender.peer",
            "io.boltwork.bench.contender.floor",
            "io.boltwork.bench.entrant",
            "io.boltwork.bench.job",
            "io.boltwork.bench.jmh",
            "io.boltwork.bench.scenario",
            "io.boltwork.bench.page",
            "io.boltwork.bench");

    @ArchTest
    static void roomsUseLowerRooms(JavaClasses types) {
        ROOMS.useLowerOnes(types);
    }

    @ArchTest
    static void noCycleOfTypesCrossesRooms(JavaClasses types) {
        ROOMS.shareNoCycle(types);
    }

    @ArchTest
    static void roomsAreSmall(JavaClasses types) {
        ROOMS.haveAtMost(30, types);
    }
}
