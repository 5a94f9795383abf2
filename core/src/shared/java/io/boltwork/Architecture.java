// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.boltwork.spi.CommandVisitor;
import io.boltwork.spi.Reply;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.time.Clock;
import java.time.Instant;
import java.util.Date;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/** The rules for the types of core, quorum and store. */
final class Architecture {

    static final ArchRule NOTHING_IS_SYNCHRONIZED = classes().should(notBeSynchronized());

    /**
     * The wall clock jumps. Losses and client records have a date for people to read, and ids differ by it. Nothing
     * else may read it, except for SuspensionDetector, which is given a clock.
     */
    static final ArchRule THE_WALL_CLOCK_IS_FOR_DISPLAY = noClasses()
            .that(DescribedPredicate.not(DescribedPredicate.describe(
                    "date a loss, introduce a client or make it unique, or wait until a date",
                    type -> Set.of("Hold", "Announcer", "UniqueIds", "EngineCondition")
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

    /** A visitor that executes commands returns the type of answer that each command names. */
    static final ArchRule COMMANDS_GET_THEIR_ANSWERS = methods()
            .that()
            .areDeclaredInClassesThat()
            .areAssignableTo(CommandVisitor.class)
            .and()
            .haveRawReturnType(JavaClass.Predicates.assignableTo(Reply.class))
            .and(DescribedPredicate.describe(
                    "have one command as their parameter",
                    method -> method.reflect().getParameterCount() == 1
                            && method.getRawParameterTypes().get(0).isRecord()))
            .should(returnTheAnswerOfTheirCommand());

    private Architecture() {}

    private static ArchCondition<JavaMethod> returnTheAnswerOfTheirCommand() {
        return new ArchCondition<>("return the answer of their command") {
            @Override
            public void check(JavaMethod method, ConditionEvents events) {
                Class<?> answer = answerTo(method.reflect().getParameterTypes()[0]);
                events.add(new SimpleConditionEvent(
                        method,
                        method.reflect().getReturnType().equals(answer),
                        method.getFullName() + " must return " + answer));
            }
        };
    }

    /** Returns the type that a command names as the type of its answer. */
    private static Class<?> answerTo(Class<?> command) {
        Type about = command.getGenericInterfaces()[0];
        return about instanceof ParameterizedType named
                ? (Class<?>) named.getActualTypeArguments()[0]
                : answerTo((Class<?>) about);
    }

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
