// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.text;

import java.lang.reflect.Method;

/**
 * Parses the texts of annotations on the methods of one class, in the language of a framework. Each method reports
 * mistakes as a {@link LockDefinitionException}. Thread-safe.
 */
public interface LockTexts {

    /** Returns the text of an attribute with its placeholders ({@code ${..}}) replaced. */
    String resolved(Method method, String attribute, String text);

    /** Parses a lock's name. */
    LockText name(Method method, String text);

    /** Parses a key, which distinguishes locks of the same name. */
    LockText key(Method method, String text);

    /** Parses the message of a refusal. */
    LockText message(Method method, String text);

    /** Parses a condition. Its value is a boolean, or an optional of one. */
    LockText.Part condition(Method method, String text);
}
