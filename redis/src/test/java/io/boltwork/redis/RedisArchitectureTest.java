// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The arrows between the packages of this module. */
@AnalyzeClasses(packages = "io.boltwork.redis", importOptions = ImportOption.DoNotIncludeTests.class)
class RedisArchitectureTest {

    /** The rooms from the lowest to the highest: a room may use those before it, and no other. */
    private static final List<String> ROOMS = List.of(
            "io.boltwork.redis.wire",
            "io.boltwork.redis.address",
            "io.boltwork.redis.call",
            "io.boltwork.redis.connect",
            "io.boltwork.redis.cluster",
            "io.boltwork.redis");

    private static final Map<JavaClass, Set<JavaClass>> REACHABLE = new HashMap<>();

    @ArchTest
    static void roomsUseLowerRooms(JavaClasses types) {
        Set<String> found = new TreeSet<>();
        for (JavaClass type : types) {
            int room = ROOMS.indexOf(type.getPackageName());
            assertThat(room).as("the room of %s", type.getName()).isNotNegative();
            for (Dependency use : type.getDirectDependenciesFromSelf()) {
                JavaClass used = outermost(use.getTargetClass().getBaseComponentType());
                if (ROOMS.indexOf(used.getPackageName()) > room) {
                    found.add(use.getDescription());
                }
            }
        }
        assertThat(found).as("uses of higher rooms").isEmpty();
    }

    @ArchTest
    static void noCycleOfTypesCrossesRooms(JavaClasses types) {
        for (JavaClass type : types) {
            JavaClass top = outermost(type);
            for (JavaClass reached : reachable(top)) {
                if (!reached.getPackageName().equals(top.getPackageName())) {
                    assertThat(reachable(reached))
                            .as("what %s uses, which %s uses", reached.getName(), top.getName())
                            .doesNotContain(top);
                }
            }
        }
    }

    private static Set<JavaClass> reachable(JavaClass from) {
        Set<JavaClass> known = REACHABLE.get(from);
        if (known == null) {
            known = new LinkedHashSet<>();
            Deque<JavaClass> next = new ArrayDeque<>(List.of(from));
            while (!next.isEmpty()) {
                for (JavaClass used : uses(next.remove())) {
                    if (known.add(used)) {
                        next.add(used);
                    }
                }
            }
            REACHABLE.put(from, known);
        }
        return known;
    }

    private static Set<JavaClass> uses(JavaClass top) {
        return Stream.concat(
                        Stream.of(top),
                        top.getPackage().getClasses().stream()
                                .filter(type -> outermost(type).equals(top)))
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .map(use -> outermost(use.getTargetClass().getBaseComponentType()))
                .filter(used -> ROOMS.contains(used.getPackageName()) && !used.equals(top))
                .collect(Collectors.toSet());
    }

    private static JavaClass outermost(JavaClass type) {
        return type.getEnclosingClass().map(RedisArchitectureTest::outermost).orElse(type);
    }
}
