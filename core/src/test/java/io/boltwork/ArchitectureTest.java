package io.boltwork;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.time.Clock;
import java.time.Instant;
import java.util.Date;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/** The arrows between core's packages. */
@AnalyzeClasses(packages = "io.boltwork", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    private static final DescribedPredicate<JavaClass> EXCEPTIONS_AND_OPTIONS = DescribedPredicate.describe(
            "are exceptions or option values of the root",
            type -> type.getPackageName().equals("io.boltwork")
                    && (type.isAssignableTo(Throwable.class)
                            || type.getSimpleName().endsWith("Options")));

    @ArchTest
    static final ArchRule CORE_NEEDS_THE_JDK_ALONE = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("java..", "org.jspecify.annotations", "io.boltwork..");

    @ArchTest
    static final ArchRule SPI_KNOWS_EXCEPTIONS_AND_OPTIONS_ALONE = classes()
            .that()
            .resideInAPackage("io.boltwork.spi")
            .should()
            .onlyDependOnClassesThat(DescribedPredicate.or(
                    EXCEPTIONS_AND_OPTIONS,
                    JavaClass.Predicates.resideInAnyPackage("java..", "io.boltwork.spi", "org.jspecify.annotations")));

    @ArchTest
    static final ArchRule BACKENDS_KNOW_THE_SPI_ALONE = classes()
            .that()
            .resideInAPackage("io.boltwork.memory")
            .should()
            .onlyDependOnClassesThat(DescribedPredicate.or(
                    EXCEPTIONS_AND_OPTIONS,
                    JavaClass.Predicates.resideInAnyPackage(
                            "java..", "io.boltwork.spi", "io.boltwork.memory", "org.jspecify.annotations")));

    @ArchTest
    static final ArchRule THE_ROOT_KNOWS_NO_BACKEND = noClasses()
            .that()
            .resideInAPackage("io.boltwork")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.boltwork.memory..");

    @ArchTest
    static final ArchRule NOTHING_IS_SYNCHRONIZED = classes().should(notBeSynchronized());

    @ArchTest
    static final ArchRule THE_MACHINE_HAS_NO_CLOCK_AND_NO_THREADS = noClasses()
            .that()
            .haveSimpleName("LockMachine")
            .or()
            .haveSimpleName("Request")
            .should()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(Thread.class, "start")
            .orShould()
            .dependOnClassesThat()
            .haveSimpleName("Engine");

    /** It jumps. Losses and introductions bear a date for people to read, and ids differ by it; nothing else may know what time it is,
     * but for Suspensions, which is given a clock to look at. */
    @ArchTest
    static final ArchRule THE_WALL_CLOCK_IS_FOR_PEOPLE = noClasses()
            .that(DescribedPredicate.not(DescribedPredicate.describe(
                    "date a loss, introduce a client or make it unique",
                    type -> Set.of("Hold", "LockMachine", "Introduction", "UniqueIds")
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
