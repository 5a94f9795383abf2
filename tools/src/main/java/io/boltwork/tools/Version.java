// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools;

import java.util.Optional;
import picocli.CommandLine.IVersionProvider;

/** The version that {@code --version} prints, from the manifest of the jar. */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        String version = Optional.ofNullable(Version.class.getPackage().getImplementationVersion())
                .orElse("(built from sources)");
        return new String[] {"boltwork " + version};
    }
}
