// SPDX-License-Identifier: Apache-2.0
package io.boltwork.micronaut;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.boltwork.rooms.Rooms;

/** All libraries except Micronaut itself are optional, so that few classes know them. */
@AnalyzeClasses(packages = "io.boltwork.micronaut", importOptions = ImportOption.DoNotIncludeTests.class)
class MicronautArchitectureTest {
    private static final Rooms ROOMS =
            Rooms.fromLowest("io.boltwork.micronaut", "io.boltwork.micronaut.call", "io.boltwork.micronaut.bean");

    @ArchTest
    static final ArchRule FEW_CLASSES_NEED_OPTIONAL_LIBRARIES = noClasses()
            .that()
            .resideInAPackage("io.boltwork.micronaut..")
            .and()
            .haveNameNotMatching(
                    ".*(ReactorType(\\$.*)?|\\$?LocksHealth(\\$.*)?|\\$?ClientMeters(\\$.*)?|\\$?DataTransactions(\\$.*)?|\\$?CommitInterceptor(\\$.*)?)")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "reactor..",
                    "org.reactivestreams..",
                    "io.micrometer..",
                    "io.micronaut.management..",
                    "io.micronaut.transaction..",
                    "jakarta.transaction..",
                    "io.boltwork.redis..");

    @ArchTest
    static final ArchRule ONLY_THE_MAPPER_NEEDS_THE_ANNOTATION_PROCESSOR = noClasses()
            .that()
            .resideInAPackage("io.boltwork.micronaut..")
            .and()
            .doNotHaveSimpleName("DistributedLockMapper")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.micronaut.inject.visitor..");

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
