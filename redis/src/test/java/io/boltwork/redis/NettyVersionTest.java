// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.Version;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** Tests that users get the tested Netty, because Lettuce names an older one with published vulnerabilities. */
class NettyVersionTest {

    private static final String LETTUCE_POM = "/META-INF/maven/io.lettuce/lettuce-core/pom.xml";

    @Test
    void allNettyArtifactsHaveTheSameVersion() {
        assertThat(Version.identify().values().stream()
                        .map(Version::artifactVersion)
                        .collect(Collectors.toSet()))
                .hasSize(1);
    }

    /** Tests direct dependencies, because a published POM carries the versions of these only. */
    @Test
    void nettyArtifactsThatLettuceNeedsAreDirectDependencies() throws Exception {
        Set<String> needed;
        try (InputStream pom = Objects.requireNonNull(
                io.lettuce.core.RedisClient.class.getResourceAsStream(LETTUCE_POM), LETTUCE_POM)) {
            needed = nettyParts(pom);
        }
        Set<String> direct;
        try (InputStream pom = Files.newInputStream(Path.of("pom.xml"))) {
            direct = nettyParts(pom);
        }
        assertThat(needed).isNotEmpty();
        assertThat(direct).containsAll(needed);
    }

    private static Set<String> nettyParts(InputStream pom) throws Exception {
        NodeList dependencies = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(pom)
                .getElementsByTagName("dependency");
        Set<String> parts = new TreeSet<>();
        for (int i = 0; i < dependencies.getLength(); i++) {
            Element dependency = (Element) dependencies.item(i);
            if (text(dependency, "groupId").equals("io.netty")
                    && !text(dependency, "optional").equals("true")
                    && !text(dependency, "scope").equals("test")) {
                parts.add(text(dependency, "artifactId"));
            }
        }
        return parts;
    }

    private static String text(Element dependency, String name) {
        NodeList found = dependency.getElementsByTagName(name);
        return found.getLength() == 0 ? "" : found.item(0).getTextContent();
    }
}
