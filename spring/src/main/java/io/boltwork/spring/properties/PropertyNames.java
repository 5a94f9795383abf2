// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.properties;

import io.boltwork.annotation.text.Spelling;
import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.springframework.beans.BeanUtils;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.core.ResolvableType;

/** The names of the properties that a record binds. Immutable. */
public final class PropertyNames {
    /** Stands for the key of a map. */
    private static final String KEY = "*";

    private final List<Known> all = new ArrayList<>();
    private final List<String> sections = new ArrayList<>();

    private record Known(String name, boolean isList) {

        boolean matches(ConfigurationPropertyName written) {
            boolean indexed = isList && written.isLastElementIndexed();
            List<String> elements = List.of(name.split("\\."));
            if (written.getNumberOfElements() - (indexed ? 1 : 0) != elements.size()) {
                return false;
            }
            for (int i = 0; i < elements.size(); i++) {
                if (!elements.get(i).equals(KEY)
                        && !elements.get(i).replace("-", "").equals(written.getElement(i, Form.UNIFORM))) {
                    return false;
                }
            }
            return true;
        }

        /** Returns a pattern of the variables from which Spring Boot reads this property. */
        Pattern variable() {
            return Pattern.compile(
                    name.replace(".", "_").replace(KEY, "[^_]+").replace("-", "_?") + (isList ? "(_\\d+_?)?" : ""),
                    Pattern.CASE_INSENSITIVE);
        }
    }

    private PropertyNames() {}

    static PropertyNames of(String prefix, Class<?> type) {
        PropertyNames names = new PropertyNames();
        names.add(prefix, type);
        if (names.sections.contains(ClientProperties.ROOT)) {
            names.addClients();
        }
        return names;
    }

    private void addClients() {
        String of = ClientProperties.ROOT + "." + KEY;
        List.copyOf(all).stream()
                .filter(known -> ClientProperties.isOfEach(known.name))
                .forEach(known -> all.add(new Known(known.name.replaceFirst("boltwork", of), known.isList)));
        List.copyOf(sections).stream()
                .filter(section -> section.equals("boltwork") || ClientProperties.isOfEach(section))
                .forEach(section -> sections.add(section.replaceFirst("boltwork", of)));
    }

    private void add(String prefix, Class<?> type) {
        sections.add(prefix);
        Constructor<?> constructor = BeanUtils.getResolvableConstructor(type);
        String[] parameters = BeanUtils.getParameterNames(constructor);
        for (int i = 0; i < parameters.length; i++) {
            String name = prefix + "." + DataObjectPropertyName.toDashedForm(parameters[i]);
            ResolvableType declared = ResolvableType.forConstructorParameter(constructor, i);
            Class<?> raw = declared.resolve(Object.class);
            if (raw.isRecord()) {
                add(name, raw);
            } else if (raw == Map.class) {
                sections.add(name);
                Class<?> value = declared.getGeneric(1).resolve(Object.class);
                if (value != type) {
                    add(name + "." + KEY, value);
                }
            } else {
                all.add(new Known(name, raw == List.class));
            }
        }
    }

    boolean contains(ConfigurationPropertyName written) {
        return all.stream().anyMatch(known -> known.matches(written));
    }

    /** Returns whether Spring Boot reads a property from this environment variable. */
    boolean containsVariable(String variable) {
        return all.stream().anyMatch(known -> known.variable().matcher(variable).matches());
    }

    /** Returns whether the name is that of a section, which has no value of its own. */
    boolean isSection(ConfigurationPropertyName written) {
        return sections.stream().anyMatch(section -> new Known(section, false).matches(written));
    }

    /** Returns all names, with {@code *} for the key of a map. */
    List<String> all() {
        return all.stream().map(Known::name).toList();
    }

    /** Returns whether the word is the last one of a property. */
    boolean hasLast(String word) {
        return all.stream().anyMatch(known -> known.name.endsWith("." + word));
    }

    /** Returns the words that directly follow a prefix. */
    Set<String> words(String prefix) {
        return all.stream()
                .map(known -> known.name.substring(prefix.length() + 1).split("\\.")[0])
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /**
     * A property that may have been meant.
     *
     * @param section the beginning of its name
     * @param last the last word of its name
     * @param siblings the last words of all properties of the section
     */
    record Nearest(String section, String last, List<String> siblings) {
        String name() {
            return section + "." + last;
        }
    }

    /**
     * Returns the property that was probably meant.
     *
     * @param written the elements of the unknown name, or the words of an environment variable
     */
    Nearest nearest(List<String> written) {
        String text = String.join(".", written);
        if (text.startsWith(ClientProperties.ROOT + ".")) {
            return nearest(text, written.get(2));
        }
        for (String section : sections) {
            String map = section.substring(0, section.length() - 1);
            if (section.endsWith("." + KEY) && text.startsWith(map)) {
                return inMap(
                        map.substring(0, map.length() - 1), written.subList(map.split("\\.").length, written.size()));
            }
        }
        return nearest(text, written.get(Math.max(0, written.size() - 2))); // if the name of the map is mistyped
    }

    private Nearest nearest(String text, String key) {
        Known nearest = all.stream()
                .min(Comparator.comparingInt(known -> Spelling.distance(text, known.name.replace(KEY, key))))
                .orElseThrow();
        int end = nearest.name.lastIndexOf('.');
        String section = nearest.name.substring(0, end);
        return new Nearest(section.replace(KEY, key), nearest.name.substring(end + 1), settings(section));
    }

    /** A key that contains dots needs brackets. Without brackets, a part of it is taken for the name of a property. */
    private Nearest inMap(String map, List<String> written) {
        List<String> settings = settings(map + "." + KEY);
        if (written.size() == 1) {
            String only = written.get(0);
            return settings.stream().anyMatch(each -> Spelling.resemble(only, each))
                    ? new Nearest(
                            map + ".GROUP", Spelling.nearest(only, settings).orElseThrow(), settings)
                    : new Nearest(map + bracketed(only), settings.get(0), settings);
        }
        Nearest nearest = null;
        int least = Integer.MAX_VALUE;
        // the words of a setting are elements if the name is that of an environment variable
        for (int end = written.size() - 1; end > 0 && end >= written.size() - 2; end--) {
            String last = String.join("-", written.subList(end, written.size()));
            String setting = Spelling.nearest(last, settings).orElseThrow();
            if (Spelling.distance(last, setting) < least) {
                least = Spelling.distance(last, setting);
                nearest = new Nearest(map + bracketed(String.join(".", written.subList(0, end))), setting, settings);
            }
        }
        return Objects.requireNonNull(nearest);
    }

    /** Returns a key of a map as it is written after the map's name. */
    public static String bracketed(String key) {
        return key.matches("[a-z0-9-]+") ? "." + key : "[" + key + "]";
    }

    /** Returns the last words of the properties directly below a section. */
    private List<String> settings(String section) {
        return all().stream()
                .filter(name -> name.startsWith(section + ".") && name.indexOf('.', section.length() + 1) < 0)
                .map(name -> name.substring(section.length() + 1))
                .toList();
    }
}
