// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.properties;

import io.boltwork.annotation.operation.SettingErrors;

/** Makes the exceptions for properties of locks that are wrong. */
final class PropertyErrors implements SettingErrors {

    @Override
    public RuntimeException invalid(String setting, Object value, String reason) {
        return BoltworkProperties.invalid(setting, value, reason);
    }

    @Override
    public RuntimeException wrong(String setting, String problem, String action) {
        return new WrongPropertyException(setting, problem, action);
    }

    @Override
    public String ofGroup(String group) {
        return "boltwork.lock.names" + PropertyNames.bracketed(group);
    }
}
