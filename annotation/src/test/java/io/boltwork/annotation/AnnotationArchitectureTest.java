// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.boltwork.rooms.Rooms;

/** The annotation and its meaning know core alone, and no framework. What else is used may be absent. */
@AnalyzeClasses(packages = "io.boltwork.annotation", importOptions = ImportOption.DoNotIncludeTests.class)
class AnnotationArchitectureTest {

    @ArchTest
    static final ArchRule ONLY_CORE_IS_USED = classes()
            .that()
            .resideInAPackage("io.boltwork.annotation..")
            .and()
            .resideOutsideOfPackage("io.boltwork.annotation.metrics")
            .and()
            .haveNameNotMatching(".*(Expressions\\$Language|RedisSettings)")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "org.jspecify..",
                    "io.boltwork.annotation..",
                    "io.boltwork",
                    "io.boltwork.memory",
                    "io.boltwork.spi");

    private static final Rooms ROOMS = Rooms.fromLowest(
                    "io.boltwork.annotation",
                    "io.boltwork.annotation.acquire",
                    "io.boltwork.annotation.metrics",
                    "io.boltwork.annotation.text",
                    "io.boltwork.annotation.template",
                    "io.boltwork.annotation.operation",
                    "io.boltwork.annotation.config",
                    "io.boltwork.annotation.call")
            .except(use -> Rooms.outermost(use.getOriginClass()).getSimpleName().equals("CurrentLease"));

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
