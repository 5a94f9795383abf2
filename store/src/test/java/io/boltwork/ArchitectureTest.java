// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.boltwork.rooms.Rooms;
import java.util.Map;

/** The allowed dependencies of stores: neither the engine nor a library. */
@AnalyzeClasses(packages = "io.boltwork.store", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule ONLY_API_SPI_AND_RULES_ARE_USED = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..", "org.jspecify.annotations", "io.boltwork", "io.boltwork.spi..", "io.boltwork.store");

    @ArchTest
    static void cyclesOfTypesAreSmall(JavaClasses types) {
        Rooms.fromLowest("io.boltwork.store")
                .haveSmallCycles(Map.of("io.boltwork.store", 0), JavaClass::getSimpleName, types);
    }

    @ArchTest
    static final ArchRule NOTHING_IS_SYNCHRONIZED = Architecture.NOTHING_IS_SYNCHRONIZED;

    @ArchTest
    static final ArchRule THE_WALL_CLOCK_IS_FOR_DISPLAY = Architecture.THE_WALL_CLOCK_IS_FOR_DISPLAY;

    @ArchTest
    static final ArchRule COMMANDS_GET_THEIR_ANSWERS = Architecture.COMMANDS_GET_THEIR_ANSWERS;
}
