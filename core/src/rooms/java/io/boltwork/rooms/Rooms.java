// SPDX-License-Identifier: Apache-2.0
package io.boltwork.rooms;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The packages of a module from the lowest room to the highest. A room uses lower rooms only, and its
 * {@code package-info.java} says what lives there and what it may use. A use of a higher room fails with these
 * sentences.
 */
public final class Rooms {
    private final List<String> packages;
    private final Predicate<Dependency> exceptions;
    private final Map<JavaClass, Set<JavaClass>> reachable = new HashMap<>();

    private Rooms(List<String> packages, Predicate<Dependency> exceptions) {
        this.packages = packages;
        this.exceptions = exceptions;
    }

    /** Returns the rooms of the module whose tests run. */
    public static Rooms fromLowest(String... packages) {
        return new Rooms(List.of(packages), use -> false);
    }

    /** Returns the same rooms, where these uses of higher rooms are allowed. */
    public Rooms except(Predicate<Dependency> allowed) {
        return new Rooms(packages, allowed);
    }

    /** Fails if a type is in none of the rooms, or uses a higher one. */
    public void useLowerOnes(JavaClasses types) {
        Set<String> found = new TreeSet<>();
        for (JavaClass type : types) {
            int room = packages.indexOf(type.getPackageName());
            assertThat(room).as("the room of %s", type.getName()).isNotNegative();
            for (Dependency use : type.getDirectDependenciesFromSelf()) {
                String used = use.getTargetClass().getBaseComponentType().getPackageName();
                if (packages.indexOf(used) > room && !exceptions.test(use)) {
                    found.add(String.format(
                            "%n%s%n  is in %s: %s%n  and uses the higher room %s: %s",
                            use.getDescription(),
                            type.getPackageName(),
                            sentences(type.getPackageName()),
                            used,
                            sentences(used)));
                }
            }
        }
        assertThat(found).as("uses of higher rooms").isEmpty();
    }

    /** Fails if types of several rooms use one another, directly or not. */
    public void shareNoCycle(JavaClasses types) {
        for (JavaClass type : types) {
            JavaClass top = outermost(type);
            for (JavaClass used : reachable(top)) {
                if (!used.getPackageName().equals(top.getPackageName())) {
                    assertThat(reachable(used))
                            .as("types that %s uses, which %s uses", used.getName(), top.getName())
                            .doesNotContain(top);
                }
            }
        }
    }

    /** Fails if a room has more files than this, or no sentence about its contents. */
    public void haveAtMost(int files, JavaClasses types) {
        for (String room : packages) {
            assertThat(types(room, types)).as("the files in %s", room).hasSizeBetween(1, files);
            assertThat(sentences(room)).as("the package page of %s", room).isNotBlank();
        }
    }

    /**
     * Fails if more types of a room use one another, directly or not, than the map says; 0 is the default. Prints the
     * largest cycle of each room.
     *
     * @param name the name of a type; types of one name count as one
     */
    public void haveSmallCycles(Map<String, Integer> most, Function<JavaClass, String> name, JavaClasses types) {
        for (String room : packages) {
            Set<JavaClass> tops = types(room, types);
            Set<String> largest = tops.stream()
                    .map(top -> cycle(top, name))
                    .max(Comparator.comparingInt(Set::size))
                    .orElseThrow();
            System.out.println(room + ": " + tops.size() + " types, largest cycle " + largest.size() + " " + largest);
            assertThat(largest).as(room).hasSizeLessThanOrEqualTo(most.getOrDefault(room, 0));
        }
    }

    private Set<String> cycle(JavaClass top, Function<JavaClass, String> name) {
        return reachable(top).stream()
                .filter(other -> reachable(other).contains(top))
                .map(name)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<JavaClass> types(String room, JavaClasses types) {
        return types.stream()
                .filter(type -> type.getPackageName().equals(room))
                .filter(type -> !type.getSimpleName().equals("package-info"))
                .map(Rooms::outermost)
                .collect(Collectors.toSet());
    }

    /** Returns the type in whose file a type is. */
    public static JavaClass outermost(JavaClass type) {
        return type.getEnclosingClass().map(Rooms::outermost).orElse(type);
    }

    private Set<JavaClass> reachable(JavaClass from) {
        Set<JavaClass> known = reachable.get(from);
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
            reachable.put(from, known);
        }
        return known;
    }

    private Set<JavaClass> uses(JavaClass top) {
        return top.getPackage().getClasses().stream()
                .filter(type -> outermost(type).equals(top))
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .map(use -> outermost(use.getTargetClass().getBaseComponentType()))
                .filter(used -> packages.contains(used.getPackageName()) && !used.equals(top))
                .collect(Collectors.toSet());
    }

    /** Returns the first paragraph of the room's package page as plain text. */
    private static String sentences(String room) {
        Path page = Path.of("src/main/java", room.replace('.', '/'), "package-info.java");
        try {
            String text = Files.readString(page);
            return text.substring(text.indexOf("/**") + 3, text.indexOf("*/"))
                    .replaceAll("(?s)<p>.*|\\{@\\w+ (?:[a-z.]+\\.)?|}", "")
                    .replaceAll("[\\s*]+", " ")
                    .strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
