// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import io.boltwork.rooms.Rooms;

/** The rooms of this module. */
@AnalyzeClasses(packages = "io.boltwork.redis", importOptions = ImportOption.DoNotIncludeTests.class)
class RedisArchitectureTest {

    private static final Rooms ROOMS = Rooms.fromLowest(
            "io.boltwork.redis.wire",
            "io.boltwork.redis.address",
            "io.boltwork.redis.call",
            "io.boltwork.redis.connect",
            "io.boltwork.redis.cluster",
            "io.boltwork.redis");

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
