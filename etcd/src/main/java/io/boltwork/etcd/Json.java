// SPDX-License-Identifier: Apache-2.0
package io.boltwork.etcd;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A JSON object of etcd's gateway: fields with their default values are absent, whole numbers are texts, and bytes are
 * base64. Immutable.
 */
final class Json {
    static final JsonFactory FACTORY = new JsonFactory();
    static final Json EMPTY = new Json(Map.of());

    private final Map<String, ? extends @Nullable Object> fields;

    private Json(Map<String, ? extends @Nullable Object> fields) {
        this.fields = fields;
    }

    /** Reads a text; {@link #EMPTY} unless it is an object. */
    static Json read(String text) throws IOException {
        try (JsonParser parser = FACTORY.createParser(text)) {
            Json read = next(parser);
            return read == null ? EMPTY : read;
        }
    }

    /** Reads the next object; {@code null} at the end. */
    static @Nullable Json next(JsonParser parser) throws IOException {
        if (parser.nextToken() == null) {
            return null;
        }
        return value(parser) instanceof Json object ? object : EMPTY;
    }

    private static @Nullable Object value(JsonParser parser) throws IOException {
        JsonToken token = parser.currentToken();
        if (token == JsonToken.START_OBJECT) {
            Map<String, @Nullable Object> object = new HashMap<>();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                parser.nextToken();
                object.put(name, value(parser));
            }
            return new Json(object);
        }
        if (token == JsonToken.START_ARRAY) {
            List<@Nullable Object> list = new ArrayList<>();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                list.add(value(parser));
            }
            return list;
        }
        return token == JsonToken.VALUE_NULL ? null : parser.getText();
    }

    /** Writes an object of texts, numbers, bytes, truth values, maps and lists. */
    static String text(Map<String, ?> object) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = FACTORY.createGenerator(text)) {
            write(generator, object);
        } catch (IOException impossible) { // it is written to memory
            throw new UncheckedIOException(impossible);
        }
        return text.toString();
    }

    private static void write(JsonGenerator to, @Nullable Object value) throws IOException {
        if (value instanceof Map<?, ?> map) {
            to.writeStartObject();
            for (Map.Entry<?, ?> field : map.entrySet()) {
                to.writeFieldName(String.valueOf(field.getKey()));
                write(to, field.getValue());
            }
            to.writeEndObject();
        } else if (value instanceof List<?> list) {
            to.writeStartArray();
            for (Object item : list) {
                write(to, item);
            }
            to.writeEndArray();
        } else if (value instanceof byte[] bytes) {
            to.writeString(Base64.getEncoder().encodeToString(bytes));
        } else if (value instanceof Boolean flag) {
            to.writeBoolean(flag);
        } else {
            to.writeString(String.valueOf(value));
        }
    }

    /** Returns an object; {@link #EMPTY} if it is absent. */
    Json object(String name) {
        return fields.get(name) instanceof Json object ? object : EMPTY;
    }

    /** Returns a list of objects. */
    List<Json> list(String name) {
        List<Json> found = new ArrayList<>();
        if (fields.get(name) instanceof List<?> list) {
            list.forEach(item -> found.add(item instanceof Json object ? object : EMPTY));
        }
        return found;
    }

    boolean has(String name) {
        return fields.containsKey(name);
    }

    /** Returns a text; empty if it is absent. */
    String text(String name) {
        Object value = fields.get(name);
        return value == null ? "" : String.valueOf(value);
    }

    /** Returns a number; 0 if it is absent. */
    long number(String name) {
        String text = text(name);
        if (text.isEmpty()) {
            return 0;
        }
        return text.startsWith("-") ? Long.parseLong(text) : Long.parseUnsignedLong(text);
    }

    byte[] bytes(String name) {
        return Base64.getDecoder().decode(text(name));
    }

    boolean flag(String name) {
        return text(name).equals("true");
    }
}
