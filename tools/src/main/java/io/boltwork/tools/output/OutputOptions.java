// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.output;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Locale;
import picocli.CommandLine.Option;

/** The option for the form of a result. */
public final class OutputOptions {

    /** The forms of a result. */
    enum Form {
        TABLE,
        JSON;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORM",
            defaultValue = "table",
            description = "table or json. Default: ${DEFAULT-VALUE}.")
    Form form = Form.TABLE;

    /** Returns whether the result is for a program. */
    public boolean isJson() {
        return form == Form.JSON;
    }

    /** A result that can be printed in both forms. */
    public interface Printed {
        /** Prints text for people. */
        void table(PrintWriter out);

        /** Writes one JSON value. */
        void json(JsonWriter out) throws IOException;
    }

    /** Returns a result in the form that the user wants, with a line break at its end. */
    public String text(Printed result) {
        StringWriter text = new StringWriter();
        PrintWriter out = new PrintWriter(text);
        if (form == Form.TABLE) {
            result.table(out);
        } else {
            try (JsonWriter json = JsonWriter.pretty(out)) {
                result.json(json);
            } catch (IOException impossible) {
                throw new UncheckedIOException(impossible); // a string takes everything
            }
            out.println();
        }
        out.flush();
        return text.toString();
    }
}
