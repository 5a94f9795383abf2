// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.codeUnits;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.boltwork.rooms.Rooms;
import java.lang.reflect.Executable;
import java.lang.reflect.Parameter;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/** The starter depends on core; all other dependencies are optional. */
@AnalyzeClasses(packages = "io.boltwork", importOptions = ImportOption.DoNotIncludeTests.class)
class StarterArchitectureTest {

    @ArchTest
    static final ArchRule NOTHING_DEPENDS_ON_THE_STARTER = noClasses()
            .that()
            .resideOutsideOfPackages("io.boltwork.spring..", "io.boltwork.testkit")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.boltwork.spring..", "org.springframework..");

    @ArchTest
    static final ArchRule ONLY_THE_TARGET_USES_REDIS = noClasses()
            .that()
            .resideInAPackage("io.boltwork.spring..")
            .and()
            .haveNameNotMatching(
                    ".*(RedisLocation(\\$Builder)?|(Lettuce|Jedis)Settings|RedisOptionsCustomizer|\\$RedisConfiguration)")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.boltwork.redis..", "io.lettuce..");

    @ArchTest
    static final ArchRule ONLY_ITS_CONFIGURATION_USES_MEMORY = noClasses()
            .that()
            .resideInAPackage("io.boltwork.spring..")
            .and()
            .haveSimpleNameNotStartingWith("MemoryConfiguration")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.boltwork.memory..");

    @ArchTest
    static final ArchRule ONLY_REACTIVE_LOCKING_NEEDS_PUBLISHERS_OF_LOCKS = noClasses()
            .that()
            .resideInAPackage("io.boltwork.spring..")
            .and()
            .haveSimpleNameNotStartingWith("ReactiveLocking")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.boltwork.reactor..", "io.boltwork.rxjava..");

    /** The JDK's timer thread is started by its first user, and keeps the class loader of that application for ever. */
    @ArchTest
    static final ArchRule NOTHING_STARTS_THE_TIMER_OF_THE_JDK = noClasses()
            .that()
            .resideOutsideOfPackage("io.boltwork.testkit..")
            .should()
            .callMethodWhere(target(owner(assignableTo(CompletableFuture.class)))
                    .and(target(nameMatching("orTimeout|completeOnTimeout|delayedExecutor"))));

    /** The classes of the API whose calls begin work of higher rooms. */
    private static final Set<String> ENTRANCES = Set.of("LockTemplate", "BoltworkLockRegistry", "CurrentLease");

    private static final Rooms ROOMS = Rooms.fromLowest(
                    "io.boltwork.spring",
                    "io.boltwork.spring.properties",
                    "io.boltwork.spring.redis",
                    "io.boltwork.spring.acquire",
                    "io.boltwork.spring.text",
                    "io.boltwork.spring.operation",
                    "io.boltwork.spring.call",
                    "io.boltwork.spring.check",
                    "io.boltwork.spring.actuate",
                    "io.boltwork.spring.autoconfigure")
            .except(use ->
                    ENTRANCES.contains(Rooms.outermost(use.getOriginClass()).getSimpleName()));

    @ArchTest
    static void roomsUseLowerRooms(JavaClasses types) {
        ROOMS.useLowerOnes(starter(types));
    }

    @ArchTest
    static void noCycleOfTypesCrossesRooms(JavaClasses types) {
        ROOMS.shareNoCycle(starter(types));
    }

    @ArchTest
    static void roomsAreSmall(JavaClasses types) {
        ROOMS.haveAtMost(30, types);
    }

    private static JavaClasses starter(JavaClasses types) {
        return types.that(resideInAPackage("io.boltwork.spring.."));
    }

    @ArchTest
    static final ArchRule ONLY_AUTO_CONFIGURATIONS_USE_EACH_OTHER = noClasses()
            .that()
            .resideInAPackage("io.boltwork.spring..")
            .and()
            .haveNameNotMatching(".*AutoConfiguration(\\$.*)?")
            .should()
            .dependOnClassesThat()
            .haveNameMatching("io\\.boltwork\\.spring\\..*AutoConfiguration(\\$.*)?");

    /** Spring 6 reads no annotations of types, such as those of JSpecify, so it would require these parameters. */
    @ArchTest
    static final ArchRule SPRING_6_UNDERSTANDS_OPTIONAL_PARAMETERS = codeUnits()
            .that()
            .haveName("<init>")
            .and()
            .areDeclaredInClassesThat()
            .areMetaAnnotatedWith(Component.class)
            .or()
            .areAnnotatedWith(Bean.class)
            .or()
            .areAnnotatedWith(ReadOperation.class)
            .or()
            .areAnnotatedWith(WriteOperation.class)
            .or()
            .areAnnotatedWith(DeleteOperation.class)
            .should(new ArchCondition<JavaCodeUnit>("declare no parameter as optional for JSpecify alone") {
                @Override
                public void check(JavaCodeUnit unit, ConditionEvents events) {
                    for (Parameter parameter : ((Executable) unit.reflect()).getParameters()) {
                        if (parameter.getAnnotatedType().isAnnotationPresent(org.jspecify.annotations.Nullable.class)
                                && Arrays.stream(parameter.getAnnotations())
                                        .noneMatch(each -> each.annotationType()
                                                .getSimpleName()
                                                .equals("Nullable"))) {
                            events.add(SimpleConditionEvent.violated(unit, unit.getFullName() + ": " + parameter));
                        }
                    }
                }
            });
}
