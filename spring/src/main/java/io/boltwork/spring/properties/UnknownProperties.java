// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.properties;

import io.boltwork.annotation.text.Spelling;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/*
 * Spring Boot can reject unknown properties, too (ignoreUnknownFields = false). But it leaves out environment variables
 * and system properties, counts a property without a value as unknown, and prints values.
 *
 * Other programs share the environment and the system properties. The command "boltwork exec" sets BOLTWORK_LOCK,
 * BOLTWORK_TOKEN and BOLTWORK_DEADLINE for the program that it starts, Kubernetes sets variables for a service with the
 * name "boltwork", and tests have system properties such as "boltwork.slack". In these two sources, a name counts only
 * if its first word resembles that of a property.
 */
/** Rejects properties that nothing reads. With a mistyped address, all locks would be in another place. */
public final class UnknownProperties implements BeanFactoryPostProcessor {
    /** The words by which Spring Boot locates Redis, such as {@code host}. */
    private static final Set<String> LOCATION =
            PropertyNames.of("redis", SpringRedisProperties.class).words("redis");

    /** Variables that the command reads or sets, and that resemble properties. */
    private static final Set<String> OF_THE_COMMAND = Set.of("BOLTWORK_URI", "BOLTWORK_PASSWORD", "BOLTWORK_LOCK");

    /** The system property by which tests choose a Redis binary. */
    private static final String OF_TESTS = "boltwork.redis";

    /** The variables that Kubernetes and Docker set for a service. */
    private static final Pattern OF_A_SERVICE =
            Pattern.compile(".*_(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT_\\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)");

    private static final Pattern ADDRESS_OF_A_SERVICE = Pattern.compile("(tcp|udp|sctp)://.*");

    private final Environment environment;
    private final String prefix;
    private final ConfigurationPropertyName root;
    private final PropertyNames known;

    public UnknownProperties(Environment environment) {
        this(environment, "boltwork", BoltworkProperties.class);
    }

    /** Creates a check of the properties below a prefix, for which the record {@code type} is bound. */
    public UnknownProperties(Environment environment, String prefix, Class<?> type) {
        this.environment = environment;
        this.prefix = prefix;
        this.root = ConfigurationPropertyName.of(prefix);
        this.known = PropertyNames.of(prefix, type);
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
        for (Unknown unknown : find()) {
            if (!isOfAnother(unknown.words, beans)) {
                throw wrong(unknown);
            }
        }
    }

    /** Rejects unknown properties, whether or not another bean may read them. */
    public void check() {
        find().stream().findFirst().ifPresent(unknown -> {
            throw wrong(unknown);
        });
    }

    /**
     * An unknown property.
     *
     * @param written its name as written
     * @param words the words of the name
     */
    private record Unknown(String written, List<String> words) {}

    private List<Unknown> find() {
        List<Unknown> found = new ArrayList<>();
        if (environment instanceof ConfigurableEnvironment configurable) {
            for (PropertySource<?> source : configurable.getPropertySources()) {
                if (source instanceof EnumerablePropertySource<?> listed) {
                    Arrays.stream(listed.getPropertyNames()).forEach(name -> look(source, name, found));
                }
            }
        }
        return found;
    }

    private void look(PropertySource<?> source, String written, List<Unknown> found) {
        boolean variable = source instanceof SystemEnvironmentPropertySource;
        if (variable && written.toLowerCase(Locale.ROOT).startsWith(prefix.replace('.', '_') + "_")) {
            List<String> words = List.of(written.toLowerCase(Locale.ROOT).split("_"));
            if (!known.containsVariable(written)
                    && !isOfAnotherProgram(written, words)
                    && !isOfAService(written, source)) {
                found.add(new Unknown(written, words));
            }
            return;
        }
        if (!written.replace("-", "").toLowerCase(Locale.ROOT).startsWith(prefix)) {
            return;
        }
        ConfigurationPropertyName name = ConfigurationPropertyName.adapt(written, '.');
        if (root.isAncestorOf(name) && !known.contains(name)) {
            boolean shared =
                    variable || source.getName().equals(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME);
            List<String> words = words(name);
            if (!(shared && isOfAnotherProgram(written, words)) && !isEmptySection(name, source.getProperty(written))) {
                found.add(new Unknown(written, words));
            }
        }
    }

    /** Returns the elements of a name. Those below the prefix keep their case, because they may be a key of a map. */
    private List<String> words(ConfigurationPropertyName name) {
        List<String> words = new ArrayList<>();
        for (int i = 0; i < name.getNumberOfElements(); i++) {
            words.add(name.getElement(i, i <= root.getNumberOfElements() ? Form.DASHED : Form.ORIGINAL));
        }
        return words;
    }

    /** Returns whether a name in a shared source has nothing to do with the properties. */
    private boolean isOfAnotherProgram(String written, List<String> words) {
        int depth = root.getNumberOfElements();
        if (words.size() <= depth || OF_THE_COMMAND.contains(written) || OF_TESTS.equals(written)) {
            return true;
        }
        String first = words.get(depth);
        if (words.size() == depth + 1 && (LOCATION.contains(first) || known.hasLast(first))) {
            return false;
        }
        return known.words(prefix).stream()
                .flatMap(word -> Stream.of(word, word.split("-")[0]))
                .noneMatch(word -> Spelling.resemble(first, word));
    }

    private static boolean isOfAService(String variable, PropertySource<?> environment) {
        return OF_A_SERVICE.matcher(variable).matches()
                || variable.endsWith("_PORT")
                        && ADDRESS_OF_A_SERVICE
                                .matcher(String.valueOf(environment.getProperty(variable)))
                                .matches();
    }

    /** Returns whether a name is that of a section without content, as in YAML whose other lines are comments. */
    private boolean isEmptySection(ConfigurationPropertyName name, @Nullable Object value) {
        return known.isSection(name) && (value == null || value.toString().isEmpty());
    }

    /** Returns whether a bean of the application binds properties to which this one belongs. */
    private boolean isOfAnother(List<String> words, ConfigurableListableBeanFactory beans) {
        String name = String.join(".", words) + ".";
        return Arrays.stream(beans.getBeanDefinitionNames())
                .map(bean -> beans.findAnnotationOnBean(bean, ConfigurationProperties.class, false))
                .anyMatch(bound -> bound != null
                        && bound.prefix().startsWith(prefix + ".")
                        && name.startsWith(bound.prefix() + "."));
    }

    private WrongPropertyException wrong(Unknown unknown) {
        PropertyNames.Nearest nearest = known.nearest(meant(unknown.words));
        return new WrongPropertyException(
                unknown.written,
                "There is no such property. The nearest one is " + nearest.name() + ".",
                "Correct the name, or remove the property. The properties of " + nearest.section() + " are "
                        + String.join(", ", nearest.siblings()) + ".");
    }

    /** Returns the property for the location of Redis if the words are one of Spring Boot's for it, else the words. */
    private static List<String> meant(List<String> words) {
        if (words.size() > 3 && String.join(".", words).startsWith(ClientProperties.ROOT + ".")) {
            List<String> ofPrimary = meant(join(words.subList(0, 1), words.subList(3, words.size())));
            return join(words.subList(0, 3), ofPrimary.subList(1, ofPrimary.size()));
        }
        String section = String.join(".", words.subList(0, words.size() - 1));
        if (!LOCATION.contains(words.get(words.size() - 1))) {
            return words;
        }
        return switch (section) {
            case "boltwork", "boltwork.redis" -> List.of("boltwork", "redis", "uri");
            case "boltwork.lock.server" -> List.of("boltwork", "lock", "server", "address");
            case "redisson.lock.server" -> List.of("redisson", "lock", "server", "address");
            default -> words;
        };
    }

    private static List<String> join(List<String> first, List<String> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }
}
