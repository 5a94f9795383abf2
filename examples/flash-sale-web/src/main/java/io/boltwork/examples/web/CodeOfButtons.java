// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.web;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Quotes the code behind the page's buttons from the sources that were compiled. */
final class CodeOfButtons {
    private CodeOfButtons() {}

    /** Returns the code by the name of the button's kind. */
    static Map<String, String> all() {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("LOCK", region("SaleController.java", "lock"));
        all.put("TRYLOCK", region("SaleController.java", "trylock"));
        all.put("ANNOTATION", region("AnnotatedStock.java", "annotation"));
        all.put("ANNOTATION-FIFO", region("AnnotatedStock.java", "annotation-fifo"));
        all.put("NONE", region("SaleController.java", "none"));
        all.put("SELL", region("RedisStock.java", "sell"));
        return all;
    }

    /** Returns the lines between {@code @start region="name"} and {@code @end}, without their common indent. */
    static String region(String file, String region) {
        List<String> found = new ArrayList<>();
        boolean within = false;
        for (String line : source(file).lines().toList()) {
            String comment = line.strip();
            if (comment.equals("// @start region=\"" + region + "\"")) {
                within = true;
            } else if (within && comment.equals("// @end")) {
                return String.join("\n", found).stripIndent();
            } else if (within) {
                found.add(line);
            }
        }
        throw new IllegalArgumentException("No region '" + region + "' in " + file);
    }

    private static String source(String file) {
        try (InputStream in = CodeOfButtons.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalArgumentException("No source " + file);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
