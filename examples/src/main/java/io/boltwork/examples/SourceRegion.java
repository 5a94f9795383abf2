// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads regions of an example's source, as it was compiled: the lines between {@code @start region="name"} and
 * {@code @end}.
 */
final class SourceRegion {
    private SourceRegion() {}

    /**
     * Reads a region.
     *
     * @param file a source file of this package, such as {@code QuickStart.java}
     * @param region the region's name
     * @return its lines, without their common indent
     * @throws IllegalArgumentException if there is no such file or region
     */
    static List<String> lines(String file, String region) {
        return lines(source(file), file, region);
    }

    /** Reads a region from the lines of a file whose comments begin with {@code //}, {@code #} or {@code --}. */
    static List<String> lines(List<String> source, String file, String region) {
        List<String> found = new ArrayList<>();
        boolean within = false;
        for (String line : source) {
            String comment = line.strip().replaceFirst("^(//|#|--) ", "");
            if (comment.equals("@start region=\"" + region + "\"")) {
                within = true;
            } else if (within && comment.equals("@end")) {
                return unindented(found);
            } else if (within) {
                found.add(line);
            }
        }
        throw new IllegalArgumentException("No region '" + region + "' in " + file);
    }

    static List<String> unindented(List<String> lines) {
        int indent = lines.stream()
                .filter(line -> !line.isBlank())
                .mapToInt(line -> line.length() - line.stripLeading().length())
                .min()
                .orElse(0);
        return lines.stream()
                .map(line -> line.isBlank() ? "" : line.substring(indent).stripTrailing())
                .toList();
    }

    private static List<String> source(String file) {
        try (InputStream in = SourceRegion.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalArgumentException("No source " + file);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
