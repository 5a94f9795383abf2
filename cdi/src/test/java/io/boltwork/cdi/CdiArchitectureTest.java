// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.boltwork.rooms.Rooms;

/** All libraries except CDI and MicroProfile Config are optional, so that few classes know them. */
@AnalyzeClasses(packages = "io.boltwork", importOptions = ImportOption.DoNotIncludeTests.class)
class CdiArchitectureTest {
    private static final Rooms ROOMS =
            Rooms.fromLowest("io.boltwork.cdi", "io.boltwork.cdi.call", "io.boltwork.cdi.bean");

    @ArchTest
    static final ArchRule NOTHING_DEPENDS_ON_CDI = noClasses()
            .that()
            .resideOutsideOfPackage("io.boltwork.cdi..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.boltwork.cdi..", "jakarta.enterprise..");

    @ArchTest
    static final ArchRule FEW_CLASSES_NEED_OPTIONAL_LIBRARIES = noClasses()
            .that()
            .resideInAPackage("io.boltwork.cdi..")
            .and()
            .haveNameNotMatching(".*(Jta\\w+(\\$.*)?|MutinyType(\\$.*)?|EventLoop\\$OfVertx"
                    + "|PropagatedContexts|LocksReadiness|ClientMeters)")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "jakarta.el..",
                    "jakarta.transaction..",
                    "io.smallrye..",
                    "io.vertx..",
                    "org.eclipse.microprofile.context..",
                    "org.eclipse.microprofile.health..",
                    "io.micrometer..",
                    "io.boltwork.redis..");

    @ArchTest
    static void roomsUseLowerRooms(JavaClasses types) {
        ROOMS.useLowerOnes(cdi(types));
    }

    @ArchTest
    static void noCycleOfTypesCrossesRooms(JavaClasses types) {
        ROOMS.shareNoCycle(cdi(types));
    }

    @ArchTest
    static void roomsAreSmall(JavaClasses types) {
        ROOMS.haveAtMost(30, types);
    }

    private static JavaClasses cdi(JavaClasses types) {
        return types.that(resideInAPackage("io.boltwork.cdi.."));
    }
}
