// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.operation;

/** Makes a framework's exceptions for settings that are wrong. */
public interface SettingErrors {

    /** Returns the exception for a value that is not possible. The reason is a sentence. */
    RuntimeException invalid(String setting, Object value, String reason);

    /** Returns the exception for a setting that does not fit the annotations. Both texts are sentences. */
    RuntimeException wrong(String setting, String problem, String action);

    /** Returns the name of a group's settings as it is written, such as {@code boltwork.lock.names.stock}. */
    String ofGroup(String group);
}
