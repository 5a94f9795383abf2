// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The starter depends on core; all other dependencies are optional. */
@AnalyzeClasses(packages = "io.boltwork", importOptions = ImportOption.DoNotIncludeTests.class)
class StarterArchitectureTest {

    @ArchTest
    static final ArchRule NOTHING_DEPENDS_ON_THE_STARTER = noClasses()
            .that()
            .resideOutsideOfPackage("io.boltwork.spring..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.boltwork.spring..", "org.springframework..");

    @ArchTest
    static final ArchRule ONLY_THE_TARGET_USES_REDIS = noClasses()
            .that()
            .resideInAPackage("io.boltwork.spring")
            .and()
            .haveNameNotMatching(
                    ".*(RedisTarget(\\$Builder)?|(Lettuce|Jedis)Settings|RedisOptionsCustomizer|\\$RedisConfiguration)")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.boltwork.redis..", "io.lettuce..");

    @ArchTest
    static final ArchRule ONLY_ITS_CONFIGURATION_USES_MEMORY = noClasses()
            .that()
            .resideInAPackage("io.boltwork.spring")
            .and()
            .haveSimpleNameNotStartingWith("MemoryConfiguration")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.boltwork.memory..");

    @ArchTest
    static final ArchRule ONLY_REACTIVE_LOCKING_NEEDS_PUBLISHERS_OF_LOCKS = noClasses()
            .that()
            .resideInAPackage("io.boltwork.spring")
            .and()
            .haveSimpleNameNotStartingWith("ReactiveLocking")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.boltwork.reactor..", "io.boltwork.rxjava..");

    @ArchTest
    static final ArchRule THE_STARTER_IS_ONE_PACKAGE =
            classes().that().resideInAPackage("io.boltwork.spring..").should().resideInAPackage("io.boltwork.spring");

    @ArchTest
    static final ArchRule ONLY_AUTO_CONFIGURATIONS_USE_EACH_OTHER = noClasses()
            .that()
            .resideInAPackage("io.boltwork.spring")
            .and()
            .haveNameNotMatching(".*AutoConfiguration(\\$.*)?")
            .should()
            .dependOnClassesThat()
            .haveNameMatching("io\\.boltwork\\.spring\\..*AutoConfiguration(\\$.*)?");
}
